//! What ran where and when.

/// One operator's run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Operator of the planned graph.
    pub op: u32,
    /// Thread number, from 0.
    pub thread: u32,
    /// Start, milliseconds since the run's first step.
    pub start: f64,
    /// End, milliseconds since the run's first step.
    pub end: f64,
}

/// All spans of a run, in order of completion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The spans.
    pub spans: Vec<Span>,
}
