//! The bill of materials of a release: every crate that the programs are built from, with its
//! licence, in the form of `CycloneDX`.

use std::{collections::HashMap, fs, path::Path};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::run::{cargo, output};

/// The packages whose programs are released.
const PROGRAMS: [&str; 2] = ["adamant-server", "adamant-cli"];

/// Writes the bill of a version to a file.
pub(super) fn write(version: &str, file: &Path) -> Result<()> {
    let asked = ["metadata", "--locked", "--format-version", "1"];
    let metadata = serde_json::from_slice(&output(&mut cargo(&asked))?)?;
    let bill = bill(version, &metadata)?;
    fs::write(file, format!("{bill:#}\n")).with_context(|| file.display().to_string())
}

fn bill(version: &str, metadata: &Value) -> Result<Value> {
    let packages = list(metadata, "packages")?;
    let by_id: HashMap<&str, &Value> =
        packages.iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes = list(&metadata["resolve"], "nodes")?;
    let nodes: HashMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let is_program = |package: &&Value| PROGRAMS.iter().any(|name| package["name"] == *name);
    let mut open: Vec<&str> =
        packages.iter().filter(is_program).filter_map(|package| package["id"].as_str()).collect();
    let mut built: Vec<&str> = Vec::new();
    while let Some(id) = open.pop() {
        if !built.contains(&id) {
            built.push(id);
            open.extend(nodes.get(id).into_iter().flat_map(|node| needs(node)));
        }
    }
    let mut components: Vec<Value> =
        built.iter().filter_map(|id| by_id.get(id)).map(|package| component(package)).collect();
    components.sort_by_key(|component| component["purl"].to_string());
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "adamant", "version": version } },
        "components": components,
    }))
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    value[name].as_array().with_context(|| format!("cargo lists no {name}"))
}

/// What a package is built from, on any platform; what its tests need is left out.
fn needs(node: &Value) -> impl Iterator<Item = &str> {
    let needed = node["deps"].as_array().into_iter().flatten().filter(|dependency| {
        let kinds = dependency["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    });
    needed.filter_map(|dependency| dependency["pkg"].as_str())
}

fn component(package: &Value) -> Value {
    let (name, version) = (&package["name"], &package["version"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{}@{}", text(name), text(version)),
        // Some still separate alternatives with a slash.
        "licenses": [{ "expression": text(&package["license"]).replace('/', " OR ") }],
    })
}

#[test]
fn what_tests_alone_need_is_not_in_the_bill() {
    let package =
        |name: &str| json!({"id": name, "name": name, "version": "1.2.3", "license": "MIT/Zlib"});
    let uses = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
    let packages = ["adamant-server", "a", "b", "c", "d"].map(package);
    let metadata = json!({
        "packages": packages,
        "resolve": {"nodes": [
            {"id": "adamant-server", "deps": [uses("a", Value::Null), uses("b", json!("dev"))]},
            {"id": "a", "deps": [uses("c", json!("build"))]},
            {"id": "b", "deps": [uses("d", Value::Null)]},
        ]},
    });
    let bill = bill("0.1.0", &metadata).unwrap();
    let names: Vec<&Value> =
        bill["components"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["a", "adamant-server", "c"]);
    assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Zlib");
}
