//! `cipherloom-run` and what it is made of, over a job that the npm package wrote (`pkg-tests/mpi/fixtures.mjs`).

use cipherloom_runner::crew::Threads;
use cipherloom_runner::job_file::JobFile;
use cipherloom_runner::{Result, run};
use std::path::PathBuf;
use std::process::{Command, Output};

const JOB: &[u8] = include_bytes!("fixtures/small.job");
/// What it gave there.
const ROWS: &[u8] = include_bytes!("fixtures/small.rows");

fn run_job(bytes: &[u8], threads: usize) -> Result<Vec<Vec<u8>>> {
    let results = run::run(JobFile::read(bytes)?, &mut Threads::new(threads)?)?;
    Ok(results.last.chunks.into_iter().map(|placed| placed.chunk.bytes.to_vec()).collect())
}

#[test]
fn rows_are_those_of_the_npm_package() {
    for threads in [1, 2, 5] {
        assert_eq!(run_job(JOB, threads).unwrap(), [ROWS]);
    }
}

#[test]
fn files_that_were_changed_are_told_or_run() {
    for length in 0..JOB.len() {
        assert!(JobFile::read(&JOB[..length]).is_err());
    }
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize
    };
    let mut told = 0;
    for _ in 0..400 {
        let mut changed = JOB.to_vec();
        for _ in 0..=next() % 3 {
            let at = next() % changed.len();
            changed[at] = next() as u8;
        }
        told += usize::from(run_job(&changed, 1).is_err());
    }
    assert!(told > 100, "{told}");
}

fn start(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cipherloom-run")).args(arguments).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_command_writes_rows() {
    let folder = folder("writes");
    let (job, result) = (folder.join("job"), folder.join("rows"));
    std::fs::write(&job, JOB).unwrap();
    let output = start(&["--threads", "2", job.to_str().unwrap(), result.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let rows = std::fs::read(&result).unwrap();
    assert!(rows.windows(ROWS.len()).any(|window| window == ROWS));
    std::fs::remove_file(&result).unwrap();
}

#[test]
fn the_command_says_what_is_wrong() {
    let folder = folder("wrong");
    let (job, result) = (folder.join("job"), folder.join("none"));
    std::fs::write(&job, &JOB[..100]).unwrap();
    let (job, result) = (job.to_str().unwrap(), result.to_str().unwrap());
    for (arguments, expected) in [
        (&[][..], "usage:"),
        (&[job], "usage:"),
        (&["--threads", "0", job, result], "usage:"),
        (&["--no", job, result], "usage:"),
        (&["/nothing here", result], "job.store: /nothing here: "),
        (&[job, result], "format.job: A job file, the file: expected MessagePack"),
    ] {
        let output = start(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected), "{told}");
    }
    assert!(!std::path::Path::new(result).exists());
}
