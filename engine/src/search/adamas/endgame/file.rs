//! The file of a table: what it is, the side of the board and the most pieces, a digest of these and
//! of the values, and the values of all slices, compressed.

use std::io::{self, Read, Write};

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use thiserror::Error;

use super::table::Endgame;

/// The first bytes of a file: what it is, and the version of this format and the rules.
const MAGIC: [u8; 16] = *b"adamas-endgame 1";

/// Why a file is no table.
#[derive(Debug, Error)]
pub enum TableFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("it is no endgame table of this version")]
    Other,
    /// There is none in the folder.
    #[error("it has no table; `adamant engine tables make` makes one")]
    Missing,
    /// It has been changed, or cut off.
    #[error("it is damaged: make it again")]
    Damaged,
}

impl Endgame {
    /// Writes the table. Errors are those of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&MAGIC)?;
        out.write_all(&[self.side(), self.pieces()])?;
        out.write_all(self.digest().as_bytes())?;
        let mut packed = ZlibEncoder::new(out, Compression::best());
        for slice in &self.slices {
            packed.write_all(&slice.values)?;
        }
        packed.finish()?;
        Ok(())
    }

    /// Reads a table that [`Endgame::write`] has written.
    pub fn read(from: &mut impl Read) -> Result<Self, TableFault> {
        let mut magic = [0; MAGIC.len()];
        let mut size = [0; 2];
        let mut digest = [0; blake3::OUT_LEN];
        read_part(from, &mut magic)?;
        if magic != MAGIC {
            return Err(TableFault::Other);
        }
        read_part(from, &mut size)?;
        read_part(from, &mut digest)?;
        let mut table = Self::empty(size[0], size[1]).ok_or(TableFault::Other)?;
        let mut packed = ZlibDecoder::new(from);
        for slice in &mut table.slices {
            read_part(&mut packed, &mut slice.values)?;
        }
        if table.digest() == digest { Ok(table) } else { Err(TableFault::Damaged) }
    }

    /// The digest of the size and all values.
    fn digest(&self) -> blake3::Hash {
        let mut hash = blake3::Hasher::new();
        hash.update(&[self.side(), self.pieces()]);
        for slice in &self.slices {
            hash.update(&slice.values);
        }
        hash.finalize()
    }
}

fn read_part(from: &mut impl Read, part: &mut [u8]) -> Result<(), TableFault> {
    from.read_exact(part).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => TableFault::Damaged,
        _ => TableFault::Io(error),
    })
}
