//! Finds Python, for programs of authors of bots.

use std::path::PathBuf;

use tokio::process::Command;

use super::binaries::target;

/// Finds a Python with the module that the example needs: the tests' own or the system's.
pub(crate) async fn python() -> PathBuf {
    let prepared = target().with_file_name("python").join("bin/python3");
    let candidates = [prepared.clone(), PathBuf::from("python3")];
    for python in candidates {
        let import =
            Command::new(&python).args(["-c", "import websockets.asyncio.client"]).output();
        if import.await.is_ok_and(|output| output.status.success()) {
            return python;
        }
    }
    let directory = prepared.parent().and_then(|bin| bin.parent()).expect("two levels deep");
    panic!(
        "the example needs Python with websockets: run `python3 -m venv {0} && {0}/bin/pip install websockets`",
        directory.display()
    );
}
