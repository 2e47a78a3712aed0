//! A file that keeps a token from one run of a program to the next. Programs that keep it elsewhere
//! do not need it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Reads a token from its file; `None` if there is none.
///
/// # Errors
///
/// The file is there and cannot be read.
pub fn read_token(file: impl AsRef<Path>) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|token| !token.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a token to a file that only this user of the machine can read.
///
/// # Errors
///
/// The file cannot be written. Then it is as it was.
pub fn write_token(file: impl AsRef<Path>, token: &str) -> io::Result<()> {
    write_private(file.as_ref(), format!("{token}\n").as_bytes())
}

/// Writes a file of secrets, wholly or not at all.
///
/// # Errors
///
/// The file cannot be written. Then it is as it was.
pub fn write_private(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new: PathBuf = file.with_file_name(name);
    // One that is there already has a mode and an owner of its own, or leads elsewhere.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut stream = create_private(&new)?;
    stream.write_all(content)?;
    stream.sync_all()?;
    fs::rename(&new, file)
}

/// Creates a file that was not there, and no link to one.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_token_goes_to_a_new_file_that_is_no_link_and_that_others_cannot_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bot.token");
        assert_eq!(read_token(&file).unwrap(), None);
        let new = folder.path().join(format!("bot.token.{}.new", std::process::id()));
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        for leftover in ["none", "readable", "link"] {
            match leftover {
                "readable" => {
                    fs::write(&new, "").unwrap();
                    fs::set_permissions(&new, fs::Permissions::from_mode(0o644)).unwrap();
                }
                "link" => symlink(&victim, &new).unwrap(),
                _ => {}
            }
            write_token(&file, "at_1").unwrap();
            assert_eq!(read_token(&file).unwrap().as_deref(), Some("at_1"));
            let found = fs::symlink_metadata(&file).unwrap();
            assert!(found.is_file(), "{leftover}");
            assert_eq!(found.permissions().mode() & 0o777, 0o600, "{leftover}");
        }
        assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
    }
}
