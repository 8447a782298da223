//! The facts that an error carries, by name.

use crate::error::{At, Difference, Error, FormatProblem};
use crate::graph::GraphError;
use crate::math::MathError;
use std::fmt::Display;

/// Names and texts of facts.
type Details = Vec<(&'static str, String)>;

impl Error {
    /// What was found, what is taken, and where, by name, as texts; a value of the data is never among them.
    pub fn details(&self) -> Details {
        match self {
            Self::Math(error) => of_math(error),
            Self::Graph(error) => of_graph(error),
            Self::Operator { op, what, found, expected } => {
                facts([("operator", op), ("what", what), ("found", found), ("expected", expected)])
            }
            Self::UnknownOperator { op, at } => facts([("operator", op), ("at", at)]),
            Self::NoExpansion { op, platform, chain } => {
                facts([("operator", op), ("platform", platform), ("chain", &chain.join(" -> "))])
            }
            Self::NotImplemented { op, platform } => facts([("operator", op), ("platform", platform)]),
            Self::SecretOnDevice { op } => facts([("operator", op)]),
            Self::NoPlatform { found, expected } => facts([("found", found), ("expected", expected)]),
            Self::AtLine { line, error } => [error.details(), facts([("line", line)])].concat(),
            Self::AtCall { call, error } => [error.details(), facts([("call", call)])].concat(),
            Self::NotRecorded { op, attrs, inputs, unit } => {
                let all = facts([("operator", op), ("attrs", attrs), ("unit", unit)]);
                // One line each: types have none in them.
                [all, facts([("inputs", &inputs.join("\n"))])].concat()
            }
            Self::AtOperator { op, name, error } => {
                [error.details(), facts([("at", op), ("name", name)])].concat()
            }
            Self::AtStage { stage, error } => [error.details(), facts([("stage", stage)])].concat(),
            Self::Differs(difference) => of_difference(difference),
            Self::UnknownPass { name, expected } => facts([("name", name), ("expected", expected)]),
            Self::NotKept { operand } => facts([("operand", operand)]),
            Self::EndlessExpansion { op, levels } => facts([("operator", op), ("levels", levels)]),
            Self::Party { what, found, expected } => {
                facts([("what", what), ("found", found), ("expected", expected)])
            }
            Self::Delivered { op, attrs, found, expected } => {
                facts([("operator", op), ("attrs", attrs), ("found", found), ("expected", expected)])
            }
            Self::Task { at, found, expected } => {
                facts([("at", at), ("found", found), ("expected", expected)])
            }
            Self::TooLarge { what, found, limit } => {
                facts([("what", what), ("found", found), ("limit", limit)])
            }
            Self::RangeOverflow { at, found, limit } => {
                facts([("at", at), ("found", found), ("limit", limit)])
            }
            Self::ValueOutOfRange { input, row, min, max } => {
                facts([("input", input), ("row", row), ("min", min), ("max", max)])
            }
            Self::InputLength { input, found, expected } => {
                facts([("input", input), ("found", found), ("expected", expected)])
            }
            Self::NoParameters { max_n, level, reason } => {
                facts([("maxN", max_n), ("level", level), ("reason", reason)])
            }
            Self::Parameters { what, found, expected } | Self::Insecure { what, found, expected } => {
                facts([("what", what), ("found", found), ("expected", expected)])
            }
            Self::Format { what, problem } => [facts([("what", what)]), of_format(problem)].concat(),
            Self::Foreign { what, of, found, expected } => {
                facts([("what", what), ("of", of), ("found", found), ("expected", expected)])
            }
            Self::NoPublicKey { what } => {
                facts([("what", what), ("expected", &"a program compiled with publicKey")])
            }
            Self::MissingKey { name } | Self::MissingInput { name } | Self::UnknownInput { name } => {
                facts([("name", name)])
            }
            Self::UnknownResult { name, expected } => facts([("name", name), ("expected", expected)]),
            Self::NoiseExhausted { what, budget, needed } => {
                facts([("what", what), ("budget", budget), ("needed", needed)])
            }
            Self::NoiseHidden { what } => facts([("what", what)]),
            Self::Released { found, expected } => facts([("found", found), ("expected", expected)]),
            Self::NoValue { output, why } => facts([("output", output), ("why", why)]),
            Self::MemoryLimit { needed, limit } => facts([("needed", needed), ("limit", limit)]),
            Self::OutOfMemory { asked } => facts([("asked", asked)]),
            Self::Cancelled => Details::new(),
            Self::Job(rule) => facts([("rule", rule)]),
        }
    }
}

fn facts<const N: usize>(facts: [(&'static str, &dyn Display); N]) -> Details {
    facts.into_iter().map(|(name, fact)| (name, fact.to_string())).collect()
}

fn of_difference(difference: &Difference) -> Details {
    let Difference { what, operator, part_of, seen, ty, units, at } = difference;
    let units: Vec<String> = units.iter().map(ToString::to_string).collect();
    let place = facts([("what", what), ("type", ty), ("units", &units.join("+"))]);
    let operator = operator.iter().flat_map(|(op, name)| facts([("operator", op), ("name", name)]));
    let part_of = part_of.iter().flat_map(|(op, name)| facts([("partOf", op), ("partOfName", name)]));
    let seen = seen.iter().flat_map(|output| facts([("seenIn", output)]));
    let first = match at {
        At::Byte { at, found, expected } => facts([("byte", at), ("found", found), ("expected", expected)]),
        At::Number { of, at, found, expected } => facts([(of, at), ("found", found), ("expected", expected)]),
    };
    place.into_iter().chain(operator).chain(part_of).chain(seen).chain(first).collect()
}

fn of_format(problem: &FormatProblem) -> Details {
    match problem {
        FormatProblem::Truncated { found, expected } => facts([("found", found), ("expected", expected)]),
        FormatProblem::Kind { found, expected } => facts([("found", found), ("expected", expected)]),
        FormatProblem::Version { found, expected } => facts([("found", found), ("expected", expected)]),
        FormatProblem::Decisions { what, found, expected } => {
            facts([("decided", what), ("found", found), ("expected", expected)])
        }
        FormatProblem::Content(problem) => facts([("problem", problem)]),
        FormatProblem::Magic | FormatProblem::Checksum => facts([("problem", problem)]),
    }
}

fn of_math(error: &MathError) -> Details {
    match error {
        MathError::ModulusRange { found } => facts([("found", found)]),
        MathError::NotInvertible { value, modulus, gcd } => {
            facts([("value", value), ("modulus", modulus), ("gcd", gcd)])
        }
        MathError::NotPrime { found } => facts([("found", found)]),
        MathError::Degree { found } => facts([("found", found)]),
        MathError::PrimeBits { found } => facts([("found", found)]),
        MathError::NotEnoughPrimes { bits, degree, found, expected } => {
            facts([("bits", bits), ("degree", degree), ("found", found), ("expected", expected)])
        }
        MathError::NoRoot { order, modulus } => facts([("order", order), ("modulus", modulus)]),
        MathError::NoModuli => facts([("found", &0), ("expected", &"at least 1 modulus")]),
        MathError::Randomness { reason } => facts([("reason", reason)]),
    }
}

fn of_graph(error: &GraphError) -> Details {
    match error {
        GraphError::EmptyAllocation => facts([("found", &0), ("expected", &"at least 1 unit")]),
        GraphError::AddressSpace { found, at } => facts([("found", found), ("at", at)]),
        GraphError::SplitOutside { start, end, size } => {
            facts([("start", start), ("end", end), ("size", size)])
        }
        GraphError::Size { what, found, expected } => {
            facts([("what", what), ("found", found), ("expected", expected)])
        }
        GraphError::OverlappingOutputs { first, second, at } => {
            facts([("first", first), ("second", second), ("at", at)])
        }
        GraphError::OverlappingInputs { first, second, at } => {
            facts([("first", first), ("second", second), ("at", at)])
        }
        GraphError::WritesInput { op, input, at } => facts([("operator", op), ("input", input), ("at", at)]),
        GraphError::Cycle { op, name } => facts([("operator", op), ("name", name)]),
        GraphError::Undefined { op, name, at } => facts([("operator", op), ("name", name), ("at", at)]),
        GraphError::Attribute { name, found, expected } => {
            facts([("name", name), ("found", found), ("expected", expected)])
        }
        GraphError::Syntax { line, found, expected } => {
            facts([("line", line), ("found", found), ("expected", expected)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Placeholder;

    #[test]
    fn every_error_has_facts() {
        let (text, what) = (String::new, "what");
        let all = [
            Error::Math(MathError::NoModuli),
            Error::Math(MathError::NotPrime { found: 4 }),
            Error::Graph(GraphError::EmptyAllocation),
            Error::Graph(GraphError::Cycle { op: 1, name: text() }),
            Error::Graph(GraphError::Undefined { op: 1, name: text(), at: Placeholder::new(0, 4) }),
            Error::UnknownOperator { op: text(), at: text() },
            Error::EndlessExpansion { op: text(), levels: 64 },
            Error::TooLarge { what, found: 2, limit: 1 },
            Error::Format { what, problem: FormatProblem::Magic },
            Error::Format { what, problem: FormatProblem::Truncated { found: 1, expected: 2 } },
            Error::NoPublicKey { what: text() },
            Error::MissingKey { name: text() },
            Error::NoiseHidden { what: text() },
            Error::Released { found: 2, expected: 1 },
            Error::OutOfMemory { asked: 8 },
            Error::Job(what),
        ];
        for error in all {
            assert!(!error.details().is_empty(), "{error:?}");
        }
        let facts = Error::TooLarge { what, found: 2, limit: 1 }.details();
        assert_eq!(facts, [("what", "what"), ("found", "2"), ("limit", "1")].map(|(n, f)| (n, f.to_owned())));
    }
}
