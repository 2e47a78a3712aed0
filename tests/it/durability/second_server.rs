//! A second server on the database of one that runs, by every way to its files. Never do both
//! acknowledge what happens in one game.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use Does::{Acknowledges, Nothing, RefusesToStart};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::harness::{Node, PATIENCE, Peer, Server, Setup, binary, game};

/// What a server does after the second one was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It acknowledges moves of the game.
    Acknowledges,
    /// It runs and acknowledges nothing of the game.
    Nothing,
    /// It has refused to start, because another server uses the files.
    RefusesToStart,
}

/// A way to the files of a running server.
struct Way {
    name: &'static str,
    /// Whether the first server's directory lies in the top layer of a container.
    is_layered: bool,
    /// Goes this way. Returns where and by which command the second server starts; `None` if the
    /// machine refuses.
    go: fn(&mut Scene) -> Option<Second>,
    /// What the first and the second server do then.
    first: Does,
    second: Does,
}

impl Way {
    const fn new(
        name: &'static str,
        go: fn(&mut Scene) -> Option<Second>,
        first: Does,
        second: Does,
    ) -> Self {
        Self { name, is_layered: false, go, first, second }
    }
}

struct Second {
    data: PathBuf,
    /// The command that runs it, such as `unshare`.
    by: Vec<&'static str>,
}

impl Second {
    #[expect(clippy::unnecessary_wraps, reason = "every way returns an option")]
    fn at(data: PathBuf) -> Option<Self> {
        Some(Self { data, by: Vec::new() })
    }
}

/// The directories of a test, and what is mounted there.
struct Scene {
    root: TempDir,
    data: PathBuf,
    mounts: Vec<PathBuf>,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        Self { root, data, mounts: Vec::new() }
    }

    /// A path beside the first server's directory.
    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// An empty directory beside the first server's.
    fn directory(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir(&path).unwrap();
        path
    }

    fn lock_file(&self) -> PathBuf {
        self.data.join("adamant.lock")
    }

    /// A copy of the first server's directory.
    fn copy(&self) -> PathBuf {
        let copy = self.path("copy");
        let copied = Command::new("cp").arg("-a").args([&self.data, &copy]).status().unwrap();
        assert!(copied.success());
        copy
    }

    /// Mounts something for as long as the scene stands; `None` if the machine refuses.
    fn mount(&mut self, arguments: &[&str], at: &Path) -> Option<()> {
        let mounted = Command::new("mount").args(arguments).arg(at).output().ok()?;
        self.mounts.extend(mounted.status.success().then(|| at.to_owned()));
        mounted.status.success().then_some(())
    }

    /// Mounts a container's view: a layer that can be written above one that cannot. Returns the
    /// view and the upper layer.
    fn layers(&mut self, lower: &Path) -> Option<(PathBuf, PathBuf)> {
        let [upper, work, view] = ["upper", "work", "view"].map(|name| self.directory(name));
        let [lower, above, work] = [lower, &upper, &work].map(|path| path.display().to_string());
        let options = format!("lowerdir={lower},upperdir={above},workdir={work}");
        self.mount(&["-t", "overlay", "overlay", "-o", &options], &view)?;
        Some((view, upper))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for mount in self.mounts.iter().rev() {
            drop(Command::new("umount").arg("--lazy").arg(mount).status());
        }
    }
}

/// All ways, by what somebody does to the lock file, to the directory, and to the paths to them.
fn ways() -> [Way; 16] {
    [
        Way::new("lock file deleted", lock_file_deleted, Nothing, RefusesToStart),
        Way::new("lock file renamed", lock_file_renamed, Nothing, RefusesToStart),
        Way::new("lock file replaced", lock_file_replaced, Nothing, RefusesToStart),
        Way::new("lock file read-only", lock_file_read_only, Acknowledges, RefusesToStart),
        Way::new("directory renamed", directory_renamed, Nothing, RefusesToStart),
        Way::new("new directory at the path", new_directory, Nothing, Nothing),
        Way::new("copy at the path", replaced_by_a_copy, Nothing, Acknowledges),
        Way::new("copy mounted at the path", copy_mounted, Nothing, Acknowledges),
        Way::new("backup in place of the database", backup_in_place, Nothing, RefusesToStart),
        Way::new("another spelling of the path", another_spelling, Acknowledges, RefusesToStart),
        Way::new("symbolic link to the directory", link_to_directory, Acknowledges, RefusesToStart),
        Way::new("symbolic link to the database", link_to_database, Acknowledges, RefusesToStart),
        Way::new("hard link to the database", hard_link, Acknowledges, RefusesToStart),
        Way::new("bind mount", bind_mount, Acknowledges, RefusesToStart),
        Way::new("another mount namespace", another_namespace, Acknowledges, RefusesToStart),
        Way {
            is_layered: true,
            ..Way::new("top layer of a container", layer_from_outside, Nothing, Acknowledges)
        },
    ]
}

fn lock_file_deleted(scene: &mut Scene) -> Option<Second> {
    fs::remove_file(scene.lock_file()).unwrap();
    Second::at(scene.data.clone())
}

fn lock_file_renamed(scene: &mut Scene) -> Option<Second> {
    fs::rename(scene.lock_file(), scene.data.join("old.lock")).unwrap();
    Second::at(scene.data.clone())
}

fn lock_file_replaced(scene: &mut Scene) -> Option<Second> {
    fs::write(scene.path("new.lock"), "").unwrap();
    fs::rename(scene.path("new.lock"), scene.lock_file()).unwrap();
    Second::at(scene.data.clone())
}

fn lock_file_read_only(scene: &mut Scene) -> Option<Second> {
    let mut permissions = fs::metadata(scene.lock_file()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(scene.lock_file(), permissions).unwrap();
    Second::at(scene.data.clone())
}

fn directory_renamed(scene: &mut Scene) -> Option<Second> {
    fs::rename(&scene.data, scene.path("moved")).unwrap();
    Second::at(scene.path("moved"))
}

fn new_directory(scene: &mut Scene) -> Option<Second> {
    fs::rename(&scene.data, scene.path("moved")).unwrap();
    Second::at(scene.data.clone())
}

fn replaced_by_a_copy(scene: &mut Scene) -> Option<Second> {
    let copy = scene.copy();
    fs::rename(&scene.data, scene.path("moved")).unwrap();
    fs::rename(copy, &scene.data).unwrap();
    Second::at(scene.data.clone())
}

fn copy_mounted(scene: &mut Scene) -> Option<Second> {
    let (copy, data) = (scene.copy(), scene.data.clone());
    scene.mount(&["--bind", &copy.display().to_string()], &data)?;
    Second::at(data)
}

fn backup_in_place(scene: &mut Scene) -> Option<Second> {
    let backup = scene.path("backup.db");
    let made = Command::new(binary("adamant-server"))
        .args(["backup", "--data"])
        .arg(&scene.data)
        .arg("--to")
        .arg(&backup)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    fs::rename(backup, scene.data.join("adamant.db")).unwrap();
    Second::at(scene.data.clone())
}

fn another_spelling(scene: &mut Scene) -> Option<Second> {
    Second::at(scene.data.join("../data/."))
}

fn link_to_directory(scene: &mut Scene) -> Option<Second> {
    std::os::unix::fs::symlink(&scene.data, scene.path("link")).unwrap();
    Second::at(scene.path("link"))
}

fn link_to_database(scene: &mut Scene) -> Option<Second> {
    let other = scene.directory("other");
    let name = "adamant.db";
    std::os::unix::fs::symlink(scene.data.join(name), other.join(name)).unwrap();
    Second::at(other)
}

fn hard_link(scene: &mut Scene) -> Option<Second> {
    let other = scene.directory("other");
    fs::hard_link(scene.data.join("adamant.db"), other.join("adamant.db")).unwrap();
    Second::at(other)
}

fn bind_mount(scene: &mut Scene) -> Option<Second> {
    let (other, data) = (scene.directory("other"), scene.data.display().to_string());
    scene.mount(&["--bind", &data], &other)?;
    Second::at(other)
}

fn another_namespace(scene: &mut Scene) -> Option<Second> {
    let by = vec!["unshare", "--mount"];
    let works = Command::new(by[0]).args(&by[1..]).arg("true").output().ok()?;
    works.status.success().then(|| Second { data: scene.data.clone(), by })
}

/// The first server runs in the container, and the second opens the layer by the host's path.
fn layer_from_outside(scene: &mut Scene) -> Option<Second> {
    Second::at(scene.path("upper").join("data"))
}

fn setup_at(data: &Path, by: &[&str]) -> Setup {
    let mut setup = Setup::default();
    setup.set("store", "data", data.display().to_string());
    setup.argument("--no-house");
    setup.run_by(by);
    setup
}

/// What a server does with a request of a player.
async fn does(player: &mut Peer, request: Value) -> Does {
    let reply = player.request(request).await;
    if reply["type"] == "ok" { Acknowledges } else { Nothing }
}

/// Goes a way, and returns what the two servers do; `None` if the machine refuses.
async fn go(way: &Way) -> Option<(Does, Does)> {
    let mut scene = Scene::new();
    if way.is_layered {
        let lower = scene.directory("lower");
        scene.data = scene.layers(&lower)?.0.join("data");
    }
    let mut first = Node::start(setup_at(&scene.data, &[])).await;
    let [mut ann, mut bob] =
        [Peer::guest_at(&first, "ann").await, Peer::guest_at(&first, "bob").await];
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 1).await;

    let Second { data, by } = (way.go)(&mut scene)?;
    let second = match Node::try_start(setup_at(&data, &by)).await {
        Ok(second) => second,
        Err(said) => {
            let why = "is in use by another server";
            assert!(said.iter().any(|line| line.contains(why)), "{}: {said:#?}", way.name);
            let turn = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
            return Some((does(&mut bob, turn).await, RefusesToStart));
        }
    };
    // The same turn at both, and another request at the first when both have had it.
    let turn = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
    let offer = json!({"type": "offer", "game": game, "what": "draw"});
    let mut at_first = does(&mut bob, turn.clone()).await;
    let at_second = does_for(&second, &bob, turn).await;
    if at_first == Nothing {
        at_first = does(&mut ann, offer.clone()).await;
    }
    // Nor does the end of the first take anything away from the second.
    first.terminate().await;
    first.wait().await;
    assert_eq!(
        does_for(&second, &ann, offer).await,
        at_second,
        "{}: {:#?}",
        way.name,
        second.log()
    );
    Some((at_first, at_second))
}

/// What another server does with a request of a player, whom it may not know.
async fn does_for(node: &Node, player: &Peer, request: Value) -> Does {
    let mut peer = Peer::connect(node.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"token": player.token}});
    if peer.request(hello).await["type"] != "welcome" {
        return Nothing;
    }
    does(&mut peer, request).await
}

#[tokio::test]
async fn two_servers_on_one_database_never_both_acknowledge() {
    let mut wrong = Vec::new();
    for way in ways() {
        let Some(found) = go(&way).await else {
            println!("{}: skipped, because this machine refuses it", way.name);
            continue;
        };
        println!("{}: the first {:?}, the second {:?}", way.name, found.0, found.1);
        if found != (way.first, way.second) {
            wrong.push((way.name, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Plays at a server, then starts another one on a copy of its directory. The copy says that it is
/// one, and whoever knows more than it has learns of the fork.
async fn copy_is_another_server(data: &Path, copy: impl FnOnce() -> Option<PathBuf>) {
    let first = Node::start(setup_at(data, &[])).await;
    let mut ann = Peer::guest_at(&first, "ann").await;
    let mut bob = Peer::guest_at(&first, "bob").await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 1).await;
    let Some(copy) = copy() else {
        println!("skipped, because this machine refuses the mount");
        return;
    };
    let second = Node::start(setup_at(&copy, &[])).await;
    let said = second.log();
    let says_so = said.iter().filter(|line| line.contains("this is a copy: the server continues"));
    assert_eq!(says_so.count(), 1, "{said:#?}");
    // The first one goes on with the game.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let mut back = Peer::connect(second.address()).await;
    let resume = json!({&game: ann.cursor(&game)});
    let welcome = back.hello(json!({"auth": {"token": ann.token}, "resume": resume})).await;
    assert_eq!(welcome["games"][0]["resume"], "fork", "{welcome}");
}

#[tokio::test]
async fn a_copy_of_a_directory_is_another_server() {
    let scene = Scene::new();
    copy_is_another_server(&scene.data, || Some(scene.copy())).await;
}

#[tokio::test]
async fn a_container_above_a_directory_is_another_server() {
    let mut scene = Scene::new();
    let lower = scene.directory("lower");
    let layers = || scene.layers(&lower).map(|(view, _)| view.join("data"));
    copy_is_another_server(&lower.join("data"), layers).await;
}

/// Runs a second server on a directory and waits until it exits.
async fn run_to_exit(data: &Path) -> (Output, String) {
    let mut command = tokio::process::Command::new(binary("adamant-server"));
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await;
    let output = output.expect("the server exits at once").expect("the binary runs");
    let said = String::from_utf8(output.stderr.clone()).expect("it speaks in text");
    (output, said)
}

#[tokio::test]
async fn two_servers_cannot_share_a_directory() {
    let server = Server::embedded(|_| {}).await;
    let (output, said) = run_to_exit(&server.data()).await;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("is in use by another server"), "{said}");
    assert!(said.contains(server.data().to_str().unwrap()), "{said}");
    let mut ann = Peer::guest(&server, "ann").await;
    ann.ask(json!({"type": "ping"})).await;
}

/// The two players of a game, after one move.
async fn game_after_a_move(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 1).await;
    (ann, bob, game)
}

#[tokio::test]
async fn a_server_whose_files_are_gone_acknowledges_nothing_until_they_are_back() {
    let server = Server::embedded(|_| {}).await;
    let data = server.data();
    let (mut ann, mut bob, game) = game_after_a_move(&server).await;
    let beside = |path: &Path| path.with_extension("aside");
    // Without the lock file another server may start on the directory.
    let files = ["adamant.lock", "adamant.db", "adamant.db-wal"].map(|name| data.join(name));
    for path in files.into_iter().chain([data.clone()]) {
        fs::rename(&path, beside(&path)).unwrap();
        let offer = json!({"type": "offer", "game": game, "what": "draw"});
        let reply = bob.request(offer.clone()).await;
        assert_eq!(reply["type"], "error", "{} is gone: {reply}", path.display());
        fs::rename(beside(&path), &path).unwrap();
    }
    let stopped = server.log().iter().any(|line| line.contains("was moved, replaced or deleted"));
    assert!(stopped, "{:?}", server.log());
    // Nobody has seen what was not acknowledged, and the game goes on.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    assert_eq!(ann.records(&game), bob.records(&game));
}

#[tokio::test]
async fn an_unwritable_directory_is_named_in_the_error() {
    let directory = tempfile::tempdir().unwrap();
    // Not even the superuser can make a directory below a file.
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for data in [file.join("data"), file.clone()] {
        let (output, said) = run_to_exit(&data).await;
        assert_eq!(output.status.code(), Some(1), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("adamant-server: "), "{said}");
        assert!(last.contains(data.to_str().unwrap()), "{said}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_stays_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("adamant.db");
    let text = "somebody's notes, not a database at all\n".repeat(200);
    fs::write(&database, &text).unwrap();
    let (output, said) = run_to_exit(directory.path()).await;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the store cannot be opened"), "{said}");
    assert_eq!(fs::read_to_string(&database).unwrap(), text);
}
