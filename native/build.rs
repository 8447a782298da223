//! Node unloads an addon with the last thread that loaded it, whose pool may not have ended yet: the library stays.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete"),
        // Node-API is in the executable that loads it.
        Ok("macos") => println!("cargo::rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup"),
        _ => {}
    }
}
