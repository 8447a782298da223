//! What operators were measured to take, on the host and on a device, and what it costs to go there and back: data that a placement is made by.

use crate::sorted::SortedMap;
use crate::{Error, Result};
use serde_json::Value;

/// Nanoseconds that are more than anything takes: eleven days.
const MOST: f64 = 1e15;

/// Something that takes a time of its own, and one for each word, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Of its own.
    pub fixed: f64,
    /// For each word.
    pub each: f64,
}

impl Line {
    /// Of so many words.
    pub fn of(self, words: f64) -> f64 {
        self.fixed + self.each * words
    }
}

/// What one operator takes on a device, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnDevice {
    /// A dispatch, whatever it has.
    pub wave: f64,
    /// One operator of many in a dispatch.
    pub each: f64,
}

/// One use of an operator type that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// How much work it is, as the type says of itself ([`crate::ops::OpDef::cost`]).
    pub work: f64,
    /// Nanoseconds on one thread of the host.
    pub host: f64,
    /// On the device, where it has a shader.
    pub device: Option<OnDevice>,
}

/// Times of a host and a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// What was measured, by operator types.
    pub uses: SortedMap<String, Vec<Use>>,
    /// A submission, from when it is handed over to when the host hears that it is done, with nothing to do in it.
    pub submission: f64,
    /// A block's way there.
    pub up: Line,
    /// Its way back.
    pub down: Line,
    /// Whether the device computes on the host's own processors, as software that stands in for a GPU does: then one of both waits while the other one computes.
    pub shared: bool,
}

impl Times {
    /// Adds what was measured of an operator type.
    pub fn add(&mut self, op: &str, measured: Use) {
        self.uses.entry(op.to_owned()).or_default().push(measured);
    }

    /// From JSON: `{ uses: [{ op, work, host, wave, each }], submission, up: { fixed, each }, down: { fixed, each }, shared }`, `wave` and `each` of `uses` only where
    /// there is a shader; all times in nanoseconds.
    ///
    /// # Errors
    /// `Task` for what is none, with where.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |at: &str, found: String, expected: &str| Error::Task {
            at: format!("times of devices, {at}"),
            found,
            expected: expected.into(),
        };
        let all: Value = serde_json::from_str(text).map_err(|e| wrong("text", e.to_string(), "JSON"))?;
        let number = |of: &Value, at: &str, name: &str| {
            let found = of.get(name);
            let fits = found.and_then(Value::as_f64).filter(|x| (0.0..=MOST).contains(x));
            fits.ok_or_else(|| {
                let found = found.map_or_else(|| "nothing".into(), Value::to_string);
                wrong(&format!("{at}{name}"), found, "a number from 0 to 1e15")
            })
        };
        let line = |name: &str| {
            let of = all.get(name).unwrap_or(&Value::Null);
            let at = format!("{name}.");
            Ok::<_, Error>(Line { fixed: number(of, &at, "fixed")?, each: number(of, &at, "each")? })
        };
        let mut times = Self {
            submission: number(&all, "", "submission")?,
            up: line("up")?,
            down: line("down")?,
            shared: all.get("shared").and_then(Value::as_bool).unwrap_or(false),
            uses: SortedMap::new(),
        };
        let uses = all.get("uses").and_then(Value::as_array);
        let uses = uses.ok_or_else(|| wrong("uses", "no array".into(), "an array"))?;
        for (index, of) in uses.iter().enumerate() {
            let at = format!("uses[{index}].");
            let op = of.get("op").and_then(Value::as_str);
            let op = op.ok_or_else(|| wrong(&format!("{at}op"), "no text".into(), "an operator type"))?;
            let device = if of.get("each").is_some() || of.get("wave").is_some() {
                Some(OnDevice { wave: number(of, &at, "wave")?, each: number(of, &at, "each")? })
            } else {
                None
            };
            let (work, host) = (number(of, &at, "work")?, number(of, &at, "host")?);
            times.add(op, Use { work, host, device });
        }
        Ok(times)
    }

    /// The use of a type whose work is nearest, by the ratio, and that ratio.
    fn nearest(&self, op: &str, work: f64, fits: impl Fn(&Use) -> bool) -> Option<(&Use, f64)> {
        let ratio = |of: &Use| work.max(1.0) / of.work.max(1.0);
        let uses = self.uses.get(op)?.iter().filter(|&of| fits(of)).map(|of| (of, ratio(of)));
        uses.min_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs()))
    }

    /// Nanoseconds of one operator on one thread of the host: in proportion to the work of the nearest use that was measured; where none was, its work at a nanosecond
    /// for each, which is what [`crate::engine::SMALL`] counts by.
    pub fn host(&self, op: &str, work: f64) -> f64 {
        self.nearest(op, work, |_| true).map_or(work, |(of, ratio)| of.host * ratio)
    }

    /// The same on the device; none for what was not measured there.
    pub fn device(&self, op: &str, work: f64) -> Option<OnDevice> {
        let (of, ratio) = self.nearest(op, work, |of| of.device.is_some())?;
        of.device.map(|time| OnDevice { each: time.each * ratio, ..time })
    }

    /// Whether the device cannot be of use whatever a graph is: nothing was measured there, or it takes the host's processors, and is faster at nothing than all of these.
    pub fn is_hopeless(&self, threads: usize) -> bool {
        let pays = |host: f64, each: f64| !self.shared || each * (threads as f64) < host;
        let mut there = self.uses.values().flatten().filter_map(|of| Some((of.host, of.device?.each)));
        !there.any(|(host, each)| pays(host, each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"uses": [
        {"op": "limb.ntt", "work": 1000, "host": 500, "wave": 30, "each": 50},
        {"op": "limb.ntt", "work": 8000, "host": 8000, "wave": 40, "each": 400},
        {"op": "limb.convolve", "work": 10, "host": 70}],
        "submission": 9, "up": {"fixed": 1, "each": 2}, "down": {"fixed": 3, "each": 4}}"#;

    #[test]
    fn what_was_not_measured_follows_from_the_nearest_that_was() {
        let times = Times::parse(TEXT).unwrap();
        assert_eq!(times.host("limb.ntt", 2000.0), 1000.0);
        assert_eq!(times.host("limb.ntt", 16000.0), 16000.0);
        assert_eq!(times.device("limb.ntt", 4000.0), Some(OnDevice { wave: 40.0, each: 200.0 }));
        assert_eq!((times.host("limb.convolve", 10.0), times.device("limb.convolve", 10.0)), (70.0, None));
        assert_eq!(times.host("limb.mul", 12.0), 12.0);
        assert_eq!((times.up.of(10.0), times.down.of(1.0), times.submission), (21.0, 7.0, 9.0));
    }

    #[test]
    fn a_device_on_the_hosts_processors_is_of_no_use_where_it_is_slower_than_all_of_them() {
        assert!(Times::default().is_hopeless(1), "nothing is known of it");
        let mut times = Times::parse(TEXT).unwrap();
        assert!(!times.is_hopeless(64), "its own processors compute beside the host's");
        times.shared = true;
        assert_eq!(
            [1, 9, 10, 20, 21].map(|threads| times.is_hopeless(threads)),
            [false, false, false, true, true]
        );
    }

    #[test]
    fn what_is_no_table_is_refused_with_where() {
        for (from, to, at) in [
            ("500", "-1", "times of devices, uses[0].host"),
            ("\"work\": 10,", "\"work\": \"10\",", "times of devices, uses[2].work"),
            ("\"wave\": 40, ", "", "times of devices, uses[1].wave"),
            ("\"submission\": 9", "\"submission\": 1e99", "times of devices, submission"),
            ("\"op\": \"limb.convolve\"", "\"op\": 7", "times of devices, uses[2].op"),
            ("\"up\": {\"fixed\": 1, ", "\"up\": {", "times of devices, up.fixed"),
            ("\"uses\": [", "\"other\": [", "times of devices, uses"),
            ("}}", "}", "times of devices, text"),
        ] {
            let changed = TEXT.replacen(from, to, 1);
            assert_ne!(changed, TEXT, "{from}");
            match Times::parse(&changed) {
                Err(Error::Task { at: found, .. }) => assert_eq!(found, at),
                other => panic!("{from}: {other:?}"),
            }
        }
    }
}
