//! Changes of graph texts that often leave a graph: tokens for tokens, lines more or less, numbered anew.

use super::random::{Random, mutate_bytes};
use std::sync::LazyLock;

static OPERATORS: LazyLock<Vec<String>> =
    LazyLock::new(|| cipherloom::registry().iter().map(|def| def.name().to_owned()).collect());

/// Changes a graph text; bytes that are no text are changed as bytes.
pub fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let Ok(found) = std::str::from_utf8(text) else { return mutate_bytes(text, random) };
    let mut lines: Vec<String> = found.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        change(&mut lines, random);
    }
    if random.chance(90) {
        renumber(&mut lines);
    }
    *text = lines.join("\n").into_bytes();
    text.push(b'\n');
    if random.chance(3) {
        mutate_bytes(text, random);
    }
}

fn change(lines: &mut Vec<String>, random: &mut Random) {
    if lines.is_empty() {
        return lines.push("cipherloom-graph 1".into());
    }
    let at = random.below(lines.len());
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        2 | 3 => add_operator(lines, random),
        4 => {
            let line = lines[at].clone();
            lines.insert(at, line);
        }
        _ => {
            let all = numbers(&lines.join(" "));
            lines[at] = changed(&lines[at], &all, random);
        }
    }
}

/// One more operator like one that is there, with an output beyond all others and sometimes other operands.
fn add_operator(lines: &mut Vec<String>, random: &mut Random) {
    let known: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].starts_with("op ")).collect();
    let Some(&from) = known.get(random.below(known.len())) else { return };
    let end = numbers(&lines.join(" ")).into_iter().filter(|&n| n < 1 << 40).max().unwrap_or(0);
    let line = lines[from].clone();
    let Some((head, place)) = line.rsplit_once("[") else { return };
    let ends = numbers(place);
    let (Some(&first), Some(&last)) = (ends.first(), ends.get(1)) else { return };
    let size = last.saturating_sub(first);
    let mut fresh = format!("{head}[{end},{})", end.saturating_add(size));
    if random.chance(60) {
        fresh = changed(&fresh, &[], random);
    }
    let last_operator = known.last().map_or(lines.len(), |last| last + 1);
    lines.insert(last_operator, fresh);
    if random.chance(50) {
        let count = lines.iter().filter(|l| l.starts_with("op ") || l.starts_with("input ")).count();
        lines.push(format!("output %{} \"y{count}\"", count - 1));
    }
}

/// A line with one token changed.
fn changed(line: &str, numbers: &[u64], random: &mut Random) -> String {
    let mut tokens = tokens(line);
    if tokens.is_empty() {
        return line.to_owned();
    }
    let at = random.below(tokens.len());
    let token = &tokens[at];
    tokens[at] = match token.parse::<u64>() {
        Ok(number) => match random.below(6) {
            0 => number.wrapping_add(1).to_string(),
            1 => number.wrapping_sub(1).to_string(),
            2 => (number / 2).to_string(),
            3 if !numbers.is_empty() => random.pick(numbers).to_string(),
            4 => number.wrapping_mul(2).to_string(),
            _ => random.interesting().to_string(),
        },
        Err(_) if token.contains('.') => random.pick(&OPERATORS).clone(),
        Err(_) => match random.below(5) {
            0 => String::new(),
            1 => token.repeat(2),
            2 => (*random
                .pick(&["limb", "poly", "raw", "small", "slots", "coeff", "ntt", "n", "q", "t", "c"]))
            .into(),
            3 => (*random.pick(&["[", "]", "{", "}", "+", ",", "\"", "%", "!", "#", "-", "$"])).into(),
            _ => tokens[random.below(tokens.len())].clone(),
        },
    };
    tokens.concat()
}

/// Words, numbers, and each other character by itself.
fn tokens(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let kind = |c: char| {
        if c.is_ascii_digit() { 1 } else { u8::from(c.is_alphabetic() || c == '_' || c == '.') * 2 }
    };
    let mut last = 0;
    for c in line.chars() {
        let here = kind(c);
        match all.last_mut() {
            Some(token) if here != 0 && here == last => token.push(c),
            _ => all.push(c.into()),
        }
        last = here;
    }
    all
}

fn numbers(text: &str) -> Vec<u64> {
    tokens(text).iter().filter_map(|token| token.parse().ok()).collect()
}

/// Definitions are numbered as the grammar wants it.
fn renumber(lines: &mut [String]) {
    let mut next = [0usize; 3];
    for line in lines {
        for (kind, mark, counter) in
            [("type ", '!', 0), ("attrs ", '#', 1), ("input ", '%', 2), ("op ", '%', 2)]
        {
            if let Some(rest) = line.strip_prefix(kind).and_then(|rest| rest.strip_prefix(mark)) {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                *line = format!("{kind}{mark}{}{rest}", next[counter]);
                next[counter] += 1;
                break;
            }
        }
    }
}
