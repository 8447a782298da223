//! `cipherloom-run JOB RESULT`: runs a job file, and writes what it gave. With feature `mpi`, started by `mpirun`, in all processes of that.

use cipherloom_runner::crew::{Crew, Threads};
use cipherloom_runner::job_file::{JobFile, rows_file};
use cipherloom_runner::{Error, Result, run};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: cipherloom-run [--threads N] JOB RESULT
  JOB          a job file, as Job.toBytes() of the npm package gives it
  RESULT       where rows are written, which readRows() of the npm package reads
  --threads N  threads of this process, 1 to 256; as many as it has processors where it is not
               said, and under mpirun one for each process";

/// What the command line says.
struct Arguments {
    threads: Option<usize>,
    job: String,
    result: String,
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if given.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let Some(arguments) = arguments(given) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match everywhere(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cipherloom-run: {error}");
            ExitCode::from(2)
        }
    }
}

fn arguments(given: Vec<String>) -> Option<Arguments> {
    let (mut threads, mut paths) = (None, Vec::new());
    let mut given = given.into_iter();
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--threads" => {
                threads = Some(given.next()?.parse().ok().filter(|threads| (1..=256).contains(threads))?);
            }
            option if option.starts_with("--") => return None,
            _ => paths.push(argument),
        }
    }
    let [job, result] = paths.try_into().ok()?;
    Some(Arguments { threads, job, result })
}

#[cfg(feature = "mpi")]
fn everywhere(arguments: &Arguments) -> Result<()> {
    use cipherloom_runner::mpi::Processes;
    let processes = Processes::join()?;
    if processes.count() == 1 {
        return here(arguments);
    }
    let done = if processes.rank() == 0 {
        let mut workers = processes.workers();
        with(arguments, &mut workers, processes.count() - 1).map(|()| workers.end())
    } else {
        processes.work(arguments.threads.unwrap_or(1))
    };
    if let Err(error) = done {
        eprintln!("cipherloom-run: {error}");
        processes.abort(2);
    }
    Ok(())
}

#[cfg(not(feature = "mpi"))]
fn everywhere(arguments: &Arguments) -> Result<()> {
    // Each process would do all of it.
    let under = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]
        .into_iter()
        .find(|name| std::env::var(name).is_ok_and(|size| size != "1"));
    match under {
        Some(_) => Err(Error::new("worker.failed", "this build knows no MPI: build it with --features mpi")),
        None => here(arguments),
    }
}

/// In threads of this process.
fn here(arguments: &Arguments) -> Result<()> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or_else(processors);
    with(arguments, &mut Threads::new(threads)?, threads as i32)
}

/// The management node.
fn with(arguments: &Arguments, crew: &mut dyn Crew, workers: i32) -> Result<()> {
    let began = Instant::now();
    let Arguments { job, result, .. } = arguments;
    let failed = |path: &str, error: &std::io::Error| Error::new("job.store", format!("{path}: {error}"));
    let file = std::fs::read(job).map_err(|error| failed(job, &error))?;
    let read = JobFile::read(&file)?;
    drop(file);
    let given = run::run(read, crew)?;
    let named = given.named.iter().map(|(name, vector)| (Some(name.as_str()), vector));
    let results: Vec<_> = std::iter::once((None, &given.last)).chain(named).collect();
    std::fs::write(result, rows_file(&results)?).map_err(|error| failed(result, &error))?;
    eprintln!(
        "{} rows by {} calls in {} tasks, {workers} workers, {:.2} s",
        given.last.rows(),
        given.calls,
        given.tasks,
        began.elapsed().as_secs_f64(),
    );
    Ok(())
}
