//! Placement by times that were measured: for circuits as a step of their own, for programs with their runs.

use super::{Circuit, To};
use crate::Result;
use crate::graph::Graph;
use crate::ops::Registry;
use crate::place::{Circumstances, Placed, Times, Way, place_by_times};
use crate::platform::Platform;
use serde::Serialize;

/// How operators were placed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placement {
    /// `host`, `device`, `groups` or `ranks`: see [`Way`].
    pub way: &'static str,
    /// Operators of the device.
    pub operators: usize,
    /// Milliseconds of a run, as expected; 0 where nothing had to be placed to know that the device is of no use.
    pub expected: f64,
    /// The same without the device.
    pub alone: f64,
}

/// What is placed, and by what.
pub struct Placing<'a> {
    /// What was measured.
    pub times: &'a Times,
    /// Operator types, and where they go whatever the times.
    pub pins: &'a [(&'a str, &'a str)],
    /// Threads of the host.
    pub threads: usize,
}

impl<'a> Placing<'a> {
    /// On the threads of the current rayon pool.
    pub fn new(times: &'a Times, pins: &'a [(&'a str, &'a str)]) -> Self {
        Self { times, pins, threads: rayon::current_num_threads().max(1) }
    }

    /// All on the host, where nothing has to be expanded to know that.
    pub fn hopeless(&self) -> Option<Placement> {
        let is = self.pins.is_empty() && self.times.is_hopeless(self.threads);
        is.then_some(Placement { way: Way::Host.name(), operators: 0, expected: 0.0, alone: 0.0 })
    }

    /// As [`place_by_times`]: the graph with every operator in its place, none where all are the host's, and how. `kept`: which inputs a device keeps.
    ///
    /// # Errors
    /// As there.
    pub fn place(
        &self,
        [alone, graph]: [&Graph; 2],
        registry: &Registry,
        both: &dyn Platform,
        kept: &dyn Fn(&str) -> bool,
    ) -> Result<(Option<Graph>, Placement)> {
        let given = Circumstances { times: self.times, threads: self.threads, kept };
        let placed = place_by_times(alone, graph, registry, both, self.pins, &given)?;
        let Placed { way, graph, there, expected, alone } = placed;
        let [expected, alone] = [expected, alone].map(|nanoseconds| nanoseconds / 1e6);
        Ok((graph, Placement { way: way.name(), operators: there, expected, alone }))
    }
}

impl Circuit {
    /// The same task, expanded, with its operators where they are done soonest by times: `both` are the host's platforms and a device, `host` the former, whose own graph, in
    /// which some are one operator, stands against what the device gains. What is placed already stays; pins are of operators that it is expanded to.
    ///
    /// # Errors
    /// As [`Circuit::expand`], [`place_by_times`] and [`Circuit::place`].
    pub fn place_by_times(
        &self,
        host: &dyn Platform,
        both: &dyn Platform,
        by: &Placing<'_>,
    ) -> Result<(Self, Placement)> {
        let device = both.preferred().iter().find(|part| part.is_apart()).map_or("", |part| part.name());
        let goes = self.graph.signatures().iter().any(|own| own.platform.as_deref() == Some(device));
        let alone = self.without(device).expand(To::Platform(host))?;
        let (graph, placement) = match by.hopeless() {
            Some(placement) if !goes => (None, placement),
            _ => {
                let beside = self.expand(To::Platform(both))?;
                by.place([&alone.graph, &beside.graph], &self.registry, both, &|_| false)?
            }
        };
        let placed = graph.map(|graph| self.with(graph));
        Ok((placed.map_or_else(|| alone.place(host, by.pins), Ok)?, placement))
    }
}
