//! A repository that is served over HTTP: a package path is an address, and git's `insteadOf` applies to it.

use super::repositories::{git, World};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Answers requests for files in a folder. The thread ends with the test.
fn serve(folder: PathBuf) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            std::thread::spawn(move || answer(stream, &folder));
        }
    });
    port
}

fn answer(mut stream: TcpStream, folder: &Path) {
    let mut lines = BufReader::new(&stream).lines();
    let Some(Ok(request)) = lines.next() else { return };
    while lines.next().is_some_and(|l| l.is_ok_and(|l| !l.is_empty())) {}
    let name = request.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("").to_owned();
    let (status, body) = match std::fs::read(folder.join(name.trim_start_matches('/'))) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", vec![]),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // The client may be gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

#[test]
fn over_http() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    let bare = world.repository("served/example.org/foo");
    let source = world.repository("example.org/foo");
    git(&source, &["clone", "--quiet", "--bare", ".", &bare.display().to_string()]);
    git(&bare, &["update-server-info"]);
    let port = serve(world.repository("served"));
    // Settings come from variables, which only a process of its own can have.
    let done = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "http::client", "--nocapture"])
        .env("FEHU_TEST_PROJECT", world.project_folder())
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", format!("url.http://127.0.0.1:{port}/.insteadOf"))
        .env("GIT_CONFIG_VALUE_0", "https://")
        .output()
        .expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(world.lib(), ["example.org/foo/file.fut: def version = \"0.1.0\""]);
}

/// The other half of [`over_http`], which runs it with settings; without them it does nothing.
#[test]
fn client() {
    let Some(folder) = std::env::var_os("FEHU_TEST_PROJECT").map(PathBuf::from) else { return };
    let cache = folder.join("cache");
    let mut registry = fehu_pkg::Registry::new(cache, None, fehu_pkg::Access::Network, Box::new(|_| {}));
    let project = fehu_pkg::Project::new(&folder);
    let path = fehu_pkg::PkgPath::parse("example.org/foo").expect("a path");
    project.add(&mut registry, &path, None).expect("added");
    project.sync(&mut registry).expect("synced");
}
