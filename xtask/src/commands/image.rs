//! The image of the server for containers: the program, the libraries that it loads, and nothing
//! else, in the layout of the Open Container Initiative, which Docker and Podman load.

use std::{
    env::consts::ARCH,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::run::{output, program, root, run, target};

/// The user of the container, and its group.
pub(super) const USER: &str = "10001:10001";

const PROGRAM: &str = "usr/local/bin/adamant-server";
const SETTINGS: &str = "etc/adamant/adamant.toml";
const DATA: &str = "var/lib/adamant";

/// The root certificates of the building machine, for notifications.
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Builds the image from the server as it is shipped. Returns the archive, and the folder that is
/// the root of a container.
pub(super) fn build(version: &str, server: &Path) -> Result<(PathBuf, PathBuf)> {
    let out = target().join("dist").join("image");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let (files, layout) = (out.join("root"), out.join("layout"));
    fs::create_dir_all(layout.join("blobs/sha256"))?;
    fill(&files, server)?;
    let layer = out.join("layer.tar");
    pack(&files, &layer)?;
    let contents = digest(&layer)?;
    run(program("gzip").args(["--best", "--no-name"]).arg(&layer))?;
    let layer = add(&layout, &out.join("layer.tar.gz"), "layer.v1.tar+gzip")?;
    let written = |name: &str, value: &Value| -> Result<PathBuf> {
        let file = out.join(name);
        fs::write(&file, value.to_string())?;
        Ok(file)
    };
    let config = written("config.json", &settings(version, &contents))?;
    let config = add(&layout, &config, "config.v1+json")?;
    let kind = |name: &str| format!("application/vnd.oci.image.{name}");
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": kind("manifest.v1+json"),
        "config": config,
        "layers": [layer],
    });
    let mut manifest = add(&layout, &written("manifest.json", &manifest)?, "manifest.v1+json")?;
    manifest["annotations"] = json!({
        "org.opencontainers.image.ref.name": version,
        "io.containerd.image.name": format!("localhost/adamant-server:{version}"),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": kind("index.v1+json"),
        "manifests": [manifest],
    });
    fs::write(layout.join("index.json"), index.to_string())?;
    fs::write(layout.join("oci-layout"), json!({"imageLayoutVersion": "1.0.0"}).to_string())?;
    let archive = out.with_file_name(format!("adamant-server-{version}-{ARCH}.oci.tar"));
    let parts = ["blobs", "index.json", "oci-layout"];
    run(tar().arg("-cf").arg(&archive).arg("-C").arg(&layout).args(parts))?;
    Ok((archive, files))
}

/// Puts together what a container sees.
fn fill(files: &Path, server: &Path) -> Result<()> {
    copy(server, &files.join(PROGRAM))?;
    let loaded = String::from_utf8(output(program("ldd").arg(server))?)?;
    let libraries = loaded.split_whitespace().filter(|word| word.starts_with('/'));
    for library in libraries {
        copy(Path::new(library), &files.join(library.trim_start_matches('/')))?;
    }
    let certificates = Path::new("/").join(CERTIFICATES);
    copy(&certificates, &files.join(CERTIFICATES)).context("install ca-certificates")?;
    copy(&root().join("config/container.toml"), &files.join(SETTINGS))?;
    fs::write(files.join("etc/passwd"), "adamant:x:10001:10001::/nonexistent:/bin/false\n")?;
    fs::write(files.join("etc/group"), "adamant:x:10001:\n")?;
    for (folder, mode) in [("tmp", 0o1777), (DATA, 0o700)] {
        fs::create_dir_all(files.join(folder))?;
        fs::set_permissions(files.join(folder), fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("no folder")?)?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(())
}

/// `tar` that gives the same archive for the same files.
fn tar() -> std::process::Command {
    let mut tar = program("tar");
    tar.args(["--sort=name", "--mtime=@0", "--numeric-owner", "--owner=0", "--group=0"]);
    tar
}

/// Packs the files as root's, but for the data directory.
fn pack(files: &Path, layer: &Path) -> Result<()> {
    let data = format!("--exclude={DATA}");
    run(tar().arg(data).arg("-cf").arg(layer).arg("-C").arg(files).arg("."))?;
    let owner = ["--owner=10001", "--group=10001"];
    run(tar().args(owner).arg("-rf").arg(layer).arg("-C").arg(files).arg(format!("./{DATA}")))
}

/// Adds a file to the layout, under its digest. Returns what the others say of it.
fn add(layout: &Path, file: &Path, kind: &str) -> Result<Value> {
    let digest = digest(file)?;
    fs::copy(file, layout.join("blobs/sha256").join(&digest))?;
    Ok(json!({
        "mediaType": format!("application/vnd.oci.image.{kind}"),
        "digest": format!("sha256:{digest}"),
        "size": fs::metadata(file)?.len(),
    }))
}

fn digest(file: &Path) -> Result<String> {
    let sum = String::from_utf8(output(program("sha256sum").arg(file))?)?;
    Ok(sum.split(' ').next().unwrap_or_default().to_owned())
}

/// What a container runs, as `config/Containerfile` says it.
fn settings(version: &str, contents: &str) -> Value {
    const SECOND: u64 = 1_000_000_000;
    json!({
        "architecture": if ARCH == "aarch64" { "arm64" } else { "amd64" },
        "os": "linux",
        "config": {
            "User": USER,
            "ExposedPorts": { "7777/tcp": {} },
            "Volumes": { format!("/{DATA}"): {} },
            "Env": [format!("ADAMANT_CONFIG=/{SETTINGS}"), format!("SSL_CERT_FILE=/{CERTIFICATES}")],
            "Entrypoint": [format!("/{PROGRAM}")],
            "StopSignal": "SIGTERM",
            "Labels": { "org.opencontainers.image.version": version },
            "Healthcheck": {
                "Test": ["CMD", format!("/{PROGRAM}"), "health"],
                "Interval": 30 * SECOND, "Timeout": 10 * SECOND, "StartPeriod": 60 * SECOND,
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{contents}")] },
    })
}
