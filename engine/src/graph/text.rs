//! The text form of a graph: what is printed is what is run, and it parses back.
//!
//! ```text
//! cipherloom-graph 1
//! unit 64
//! type !0 = limb[8]{n=8, q=17}
//! attrs #0 = {c=3}
//! input %0 : !0 [0,8) "x"
//! op %1 = limb.mul_scalar#0(%0) : !0 [8,16)
//! op %2 = limb.add(%1, !0 [0,8)) : !0 [16,24) nonce=1 parent=7
//! output %2 "y"
//! ```
//!
//! An operand is `%k`, the k-th line of kind `input` or `op`, or a view: a type and placeholders in order,
//! joined by `+`. What is written is disjoint; a view that is only read may hold a unit more than once, as
//! expansion and deduplication make them. Of attributes, a number with a point or an exponent is a binary64, `@"..."` data, `$[...]` a
//! list of texts. `limb.add@scalar` is computed on the platform `scalar`. `nonce` and `parent` are left out where there is none.
//! Lines that begin with `//` are for people.

use super::attrs::quote;
use super::{Attr, Attrs, Graph, GraphError, OperandId, Placeholder, Real, ValueType};
use crate::math::doubles;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashMap;
use std::fmt::Write as _;

const HEADER: &str = "cipherloom-graph 1";

/// The text form of a graph.
pub fn print(graph: &Graph) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_graph(&mut out, graph);
    out
}

fn write_graph(out: &mut String, graph: &Graph) -> std::fmt::Result {
    writeln!(out, "{HEADER}\nunit {}", graph.unit_bits())?;
    let mut types = Aliases::default();
    let mut attrs = Aliases::default();
    let operands = graph.inputs().iter().chain(graph.outputs()).map(|p| p.operand);
    let in_operators =
        graph.operators().iter().flat_map(|o| graph.inputs_of(o).iter().copied().chain([o.output]));
    for operand in operands.chain(in_operators) {
        let number = graph.type_number(operand);
        if types.add(number) {
            writeln!(out, "type !{} = {}", types.of(number), graph.ty(operand))?;
        }
    }
    for op in graph.operators() {
        let signature = graph.signature(op);
        if !signature.attrs.is_empty() && attrs.add(op.signature) {
            writeln!(out, "attrs #{} = {}", attrs.of(op.signature), signature.attrs)?;
        }
    }
    let mut names: HashMap<(u32, Vec<Placeholder>), usize> = HashMap::new();
    // Not the size of `names`: a literal may define the same place twice, until somebody checks it.
    let mut next = 0..;
    let place = |operand: OperandId| {
        let list: Vec<String> = graph.placeholders(operand).iter().map(ToString::to_string).collect();
        format!("!{} {}", types.of(graph.type_number(operand)), list.join("+"))
    };
    let mut define = |names: &mut HashMap<_, _>, operand: OperandId| {
        let name = next.next().unwrap_or(0);
        names.insert((graph.type_number(operand), graph.placeholders(operand)), name);
        name
    };
    let refer = |names: &HashMap<(u32, Vec<Placeholder>), usize>, operand: OperandId| match names
        .get(&(graph.type_number(operand), graph.placeholders(operand)))
    {
        Some(name) => format!("%{name}"),
        None => place(operand),
    };
    for port in graph.inputs() {
        let name = define(&mut names, port.operand);
        writeln!(out, "input %{name} : {} {}", place(port.operand), quote(&port.name))?;
    }
    for op in graph.operators() {
        let signature = graph.signature(op);
        let inputs: Vec<String> = graph.inputs_of(op).iter().map(|&i| refer(&names, i)).collect();
        let name = define(&mut names, op.output);
        write!(out, "op %{name} = {}", signature.written_name())?;
        if !signature.attrs.is_empty() {
            write!(out, "#{}", attrs.of(op.signature))?;
        }
        write!(out, "({}) : {}", inputs.join(", "), place(op.output))?;
        if op.nonce != 0 {
            write!(out, " nonce={}", op.nonce)?;
        }
        if op.parent != u32::MAX {
            write!(out, " parent={}", op.parent)?;
        }
        out.push('\n');
    }
    for port in graph.outputs() {
        writeln!(out, "output {} {}", refer(&names, port.operand), quote(&port.name))?;
    }
    Ok(())
}

/// Numbers in order of first use.
#[derive(Default)]
struct Aliases(HashMap<u32, usize>);

impl Aliases {
    fn add(&mut self, number: u32) -> bool {
        let next = self.0.len();
        *self.0.entry(number).or_insert(next) == next && self.0.len() == next + 1
    }
    fn of(&self, number: u32) -> usize {
        self.0.get(&number).copied().unwrap_or(0)
    }
}

/// Reads the text form. The result is a literal: well formed, but its meaning (one producer per unit, no
/// cycle, known operator types) is checked by `analyze`.
///
/// # Errors
/// `Syntax`, with the line, for anything that the grammar does not allow.
pub fn parse(text: &str) -> Result<Graph, GraphError> {
    let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    let mut header =
        |expected: &str| -> Result<(usize, String), GraphError> {
            let (number, line) = lines.next().unwrap_or((0, ""));
            line.strip_prefix(expected).map(|rest| (number, rest.to_owned())).ok_or_else(|| {
                GraphError::Syntax { line: number, found: clip(line), expected: expected.to_owned() }
            })
        };
    header(HEADER)?;
    let (number, unit) = header("unit ")?;
    let unit_bits = match unit.parse() {
        Ok(bits @ 1..=64) => bits,
        _ => return Err(GraphError::Syntax { line: number, found: unit, expected: "1 to 64 bits".into() }),
    };
    let mut reader = Reader { graph: Graph::new(unit_bits), types: vec![], attrs: vec![], names: vec![] };
    for (number, line) in lines {
        reader.line(&mut Cursor { rest: line, line: number })?;
    }
    Ok(reader.graph)
}

/// Reads attributes, as the text form writes them: `{c=3, names=$["a"]}`.
///
/// # Errors
/// `Syntax`, in line 1.
pub fn parse_attrs(text: &str) -> Result<Attrs, GraphError> {
    let mut cursor = Cursor { rest: text.trim(), line: 1 };
    let attrs = cursor.attrs()?;
    cursor.end()?;
    Ok(attrs)
}

/// Reads a type, its size in units optional: `f32[8]{shape=[8]}` or `f32{shape=[8]}`.
///
/// # Errors
/// `Syntax`, in line 1.
pub fn parse_type(text: &str) -> Result<(String, Option<u64>, Attrs), GraphError> {
    let mut cursor = Cursor { rest: text.trim(), line: 1 };
    let head = cursor.head()?;
    let mut size = None;
    if cursor.peek('[') {
        cursor.expect("[")?;
        size = Some(cursor.number()?);
        cursor.expect("]")?;
    }
    let attrs = cursor.optional_attrs()?;
    cursor.end()?;
    Ok((head, size, attrs))
}

fn clip(text: &str) -> String {
    let mut s: String = text.chars().take(40).collect();
    if s.is_empty() {
        s.push_str("the end of the line");
    }
    s
}

struct Reader {
    graph: Graph,
    types: Vec<ValueType>,
    attrs: Vec<Attrs>,
    names: Vec<OperandId>,
}

impl Reader {
    fn line(&mut self, c: &mut Cursor<'_>) -> Result<(), GraphError> {
        match c.word() {
            "type" => {
                c.numbered('!', self.types.len())?;
                c.expect("=")?;
                let head = c.head()?;
                c.expect("[")?;
                let size = c.number()?;
                c.expect("]")?;
                let attrs = c.optional_attrs()?;
                self.types.push(ValueType { head, size, attrs });
            }
            "attrs" => {
                c.numbered('#', self.attrs.len())?;
                c.expect("=")?;
                let attrs = c.attrs()?;
                self.attrs.push(attrs);
            }
            "input" => {
                c.numbered('%', self.names.len())?;
                c.expect(":")?;
                let operand = self.place(c, true)?;
                let name = c.string()?;
                self.graph.declare_input(&name, operand);
                self.names.push(operand);
            }
            "op" => {
                c.numbered('%', self.names.len())?;
                c.expect("=")?;
                let name = c.operator()?;
                let attrs = if c.peek('#') { self.attrs_ref(c)? } else { Attrs::new() };
                c.expect("(")?;
                let mut inputs = Vec::new();
                while !c.peek(')') {
                    if !inputs.is_empty() {
                        c.expect(",")?;
                    }
                    inputs.push(self.operand(c)?);
                }
                c.expect(")")?;
                c.expect(":")?;
                let output = self.place(c, true)?;
                let at = *c;
                let nonce = c.tail("nonce=")?.unwrap_or(0);
                if nonce == u32::MAX {
                    return Err(at.error("a nonce below 2^32 - 1"));
                }
                let parent = c.tail("parent=")?.unwrap_or(u32::MAX);
                let signature = self.graph.intern_signature(&name, attrs);
                self.graph.push_operator(signature, &inputs, output, nonce, parent);
                self.graph.skip_nonces(nonce);
                self.names.push(output);
            }
            "output" => {
                let operand = self.operand(c)?;
                let name = c.string()?;
                self.graph.declare_output(&name, operand);
            }
            _ => return Err(c.error("type, attrs, input, op or output")),
        }
        c.end()
    }

    fn attrs_ref(&self, c: &mut Cursor<'_>) -> Result<Attrs, GraphError> {
        let at = *c;
        c.expect("#")?;
        let attrs = self.attrs.get(c.number()? as usize).cloned();
        attrs.ok_or_else(|| at.error("attributes that were defined above"))
    }

    fn operand(&mut self, c: &mut Cursor<'_>) -> Result<OperandId, GraphError> {
        if !c.peek('%') {
            return self.place(c, false);
        }
        let at = *c;
        c.expect("%")?;
        let operand = self.names.get(c.number()? as usize).copied();
        operand.ok_or_else(|| at.error("an operand that was defined above"))
    }

    /// `!type [a,b)+[c,d)`, adding up to the type's size.
    fn place(&mut self, c: &mut Cursor<'_>, disjoint: bool) -> Result<OperandId, GraphError> {
        let at = *c;
        c.expect("!")?;
        let ty = self.types.get(c.number()? as usize).cloned();
        let ty = ty.ok_or_else(|| at.error("a type that was defined above"))?;
        let mut pieces: Vec<Placeholder> = Vec::new();
        loop {
            let at = *c;
            c.expect("[")?;
            let start = c.number()?;
            c.expect(",")?;
            let end = c.number()?;
            c.expect(")")?;
            let piece = Placeholder::new(start, end);
            if piece.is_empty() || end > 1 << 63 {
                return Err(at.error("a placeholder [start,end), start < end <= 2^63"));
            }
            self.graph.skip_to(end);
            pieces.push(piece);
            if !c.peek('+') {
                break;
            }
            c.expect("+")?;
        }
        let mut sorted = if disjoint { pieces.clone() } else { Vec::new() };
        sorted.sort_unstable();
        if sorted.windows(2).any(|w| w[0].overlaps(&w[1])) {
            return Err(at.error("disjoint placeholders, since they are written"));
        }
        let total = pieces.iter().fold(0u64, |total, p| total.saturating_add(p.size()));
        if total != ty.size {
            return Err(c.error(&format!("placeholders of {} units in all, not {total}", ty.size)));
        }
        Ok(self.graph.view(ty, pieces))
    }
}

#[derive(Clone, Copy)]
struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn error(&self, expected: &str) -> GraphError {
        GraphError::Syntax { line: self.line, found: clip(self.rest), expected: expected.to_owned() }
    }
    fn take(&mut self, length: usize) -> &'a str {
        let (head, tail) = self.rest.split_at(length);
        self.rest = tail.trim_start();
        head
    }
    fn peek(&self, c: char) -> bool {
        self.rest.starts_with(c)
    }
    fn expect(&mut self, token: &str) -> Result<(), GraphError> {
        if !self.rest.starts_with(token) {
            return Err(self.error(token));
        }
        self.take(token.len());
        Ok(())
    }
    fn word(&mut self) -> &'a str {
        let length = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(self.rest.len());
        self.take(length)
    }
    /// What a type is called.
    fn head(&mut self) -> Result<String, GraphError> {
        let head = self.word();
        if head.is_empty() { Err(self.error("a type")) } else { Ok(head.to_owned()) }
    }

    /// An operator type, and after `@` a platform.
    fn operator(&mut self) -> Result<String, GraphError> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.error("an operator type"));
        }
        if !self.peek('@') {
            return Ok(name.to_owned());
        }
        self.take(1);
        match self.word() {
            "" => Err(self.error("a platform")),
            platform => Ok(format!("{name}@{platform}")),
        }
    }
    fn number(&mut self) -> Result<u64, GraphError> {
        let length = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let at = *self;
        self.take(length).parse().map_err(|_| at.error("a number below 2^64"))
    }
    fn numbered(&mut self, mark: char, next: usize) -> Result<(), GraphError> {
        self.expect(&format!("{mark}{next}"))
    }
    fn tail(&mut self, key: &str) -> Result<Option<u32>, GraphError> {
        if !self.rest.starts_with(key) {
            return Ok(None);
        }
        self.take(key.len());
        let at = *self;
        u32::try_from(self.number()?).map(Some).map_err(|_| at.error("a number below 2^32"))
    }
    fn string(&mut self) -> Result<String, GraphError> {
        let mut stream = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        match stream.next() {
            Some(Ok(text)) => {
                let used = stream.byte_offset();
                self.take(used);
                Ok(text)
            }
            _ => Err(self.error("a JSON string")),
        }
    }
    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, GraphError>,
    ) -> Result<Vec<T>, GraphError> {
        self.expect("[")?;
        let mut items = Vec::new();
        while !self.peek(']') {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        self.expect("]")?;
        Ok(items)
    }
    fn integer(&mut self) -> Result<i128, GraphError> {
        let length = self.rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(self.rest.len());
        let at = *self;
        self.take(length).parse().map_err(|_| at.error("an integer"))
    }
    /// A point or an exponent makes a number real.
    fn real_or_integer(&mut self) -> Result<Attr, GraphError> {
        let end = |c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e'));
        let length = self.rest.find(end).unwrap_or(self.rest.len());
        if !self.rest[..length].contains(['.', 'e']) {
            return Ok(Attr::Int(self.integer()?));
        }
        let at = *self;
        let real = doubles::parse(self.take(length)).and_then(Real::new);
        Ok(Attr::Real(real.ok_or_else(|| at.error("a finite number"))?))
    }
    fn attrs(&mut self) -> Result<Attrs, GraphError> {
        self.expect("{")?;
        let mut attrs = Vec::new();
        while !self.peek('}') {
            if !attrs.is_empty() {
                self.expect(",")?;
            }
            let name = self.word().to_owned();
            self.expect("=")?;
            let value = if self.peek('@') {
                self.expect("@")?;
                let at = *self;
                Attr::Bytes(STANDARD.decode(self.string()?).map_err(|_| at.error("base64"))?.into())
            } else if self.peek('$') {
                self.expect("$")?;
                Attr::Texts(self.list(Self::string)?.into())
            } else if self.peek('[') {
                Attr::Ints(self.list(Self::integer)?.into())
            } else if self.peek('"') {
                Attr::Text(self.string()?)
            } else {
                self.real_or_integer()?
            };
            attrs.push((name, value));
        }
        self.expect("}")?;
        Ok(Attrs::from(attrs))
    }
    fn optional_attrs(&mut self) -> Result<Attrs, GraphError> {
        if self.peek('{') { self.attrs() } else { Ok(Attrs::new()) }
    }
    fn end(&self) -> Result<(), GraphError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.error("the end of the line")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Graph {
        let mut g = Graph::new(64);
        let limb = ValueType::new("limb", 8, Attrs::new().with("n", 8u64).with("q", 17u64));
        let x = g.add_input("x \"quoted\"\n", limb.clone()).unwrap();
        let attrs =
            Attrs::new().with("c", 3u64).with("names", vec!["a".to_owned()]).with("empty", Vec::<u64>::new());
        let y = g.add_operator("limb.mul_scalar", attrs.with("word", "w"), &[x], limb.clone()).unwrap();
        let half = ValueType::new("half", 4, Attrs::new());
        let parts = [g.split(y, 4, 4, half.clone()).unwrap(), g.split(x, 0, 4, half).unwrap()];
        let mixed = g.merge(&parts, limb.clone()).unwrap();
        let z = g.add_operator("limb.add", Attrs::new(), &[mixed, x], limb).unwrap();
        g.mark_last_random();
        g.declare_output("z", z);
        g
    }

    #[test]
    fn a_type_has_a_name() {
        for line in ["type !0 = [8]{n=8}", "type !0 = [8]"] {
            let wrong = parse(&format!("cipherloom-graph 1\nunit 64\n{line}\n")).unwrap_err();
            let GraphError::Syntax { line: 3, expected, .. } = &wrong else { panic!("{wrong}") };
            assert_eq!(expected, "a type");
        }
    }

    #[test]
    fn prints_and_parses_back() {
        let text = print(&sample());
        let again = parse(&text).unwrap();
        assert_eq!(print(&again), text);
        assert_eq!(again.operators().len(), 2);
        assert_eq!(again.address_end(), sample().address_end());
        assert!(text.contains("!1 [12,16)") || text.contains("[12,16)+[0,4)"), "{text}");
    }

    #[test]
    fn reals_keep_their_bits() {
        let reals = [1.0, -0.1, 1e40, 5e-324, f64::MAX, (1u64 << 60) as f64, std::f64::consts::PI];
        for real in reals {
            let attrs = Attrs::new().with("x", Real::new(real).unwrap()).with("y", 3u64);
            let again = parse_attrs(&attrs.to_string()).unwrap();
            assert_eq!(again, attrs);
            assert_eq!(again.real("x").unwrap().to_bits(), real.to_bits());
        }
        let read = |text: &str| parse_attrs(text).map(|attrs| attrs.real("x").unwrap());
        assert_eq!([read("{x=3}"), read("{x=1e+2}"), read("{x=-2.5}")], [Ok(3.0), Ok(100.0), Ok(-2.5)]);
        assert_eq!(parse_attrs("{x=-0.0}").unwrap(), parse_attrs("{x=0.0}").unwrap());
        for bad in ["{x=1e999}", "{x=.}", "{x=1.2.3}", "{x=e}", "{x=inf}", "{x=NaN}"] {
            assert!(parse_attrs(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_what_is_read_may_repeat() {
        let head = "cipherloom-graph 1\nunit 64\ntype !0 = raw[4]\ninput %0 : !0 [0,4) \"x\"\n";
        let text = format!("{head}op %1 = copy(!0 [0,2)+[0,2)) : !0 [4,8)\noutput !0 [4,6)+[4,6) \"y\"\n");
        assert_eq!(print(&parse(&text).unwrap()), text);
        let max = 1u64 << 63;
        for bad in [
            "op %1 = copy(%0) : !0 [4,6)+[4,6)".to_owned(),
            "input %1 : !0 [4,6)+[4,6) \"y\"".to_owned(),
            format!("op %1 = copy(!0 [0,{max})+[0,{max})+[0,4)) : !0 [4,8)"),
        ] {
            assert!(
                matches!(parse(&format!("{head}{bad}\n")), Err(GraphError::Syntax { line: 5, .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn what_is_defined_twice_is_numbered_twice() {
        let head = "cipherloom-graph 1\nunit 64\ntype !0 = raw[4]\ninput %0 : !0 [0,4) \"x\"\n";
        let text = format!("{head}input %1 : !0 [0,4) \"y\"\nop %2 = copy(%1) : !0 [4,8)\noutput %2 \"z\"\n");
        assert_eq!(print(&parse(&text).unwrap()), text);
    }

    #[test]
    fn errors_name_the_line() {
        let good = print(&sample());
        let cases = [
            ("cipherloom-graph 1", "cipherloom-graph 2", 1),
            ("unit 64", "unit 65", 2),
            ("limb[8]", "limb[9]", 5),
            ("%2 = limb.add", "%9 = limb.add", 7),
            ("output %2", "output %7", 8),
            ("limb.add(", "limb.add(%2, ", 7),
            ("nonce=1", "nonce=1 more", 7),
        ];
        for (from, to, line) in cases {
            assert!(good.contains(from), "{from} in\n{good}");
            let error = parse(&good.replacen(from, to, 1)).unwrap_err();
            let GraphError::Syntax { line: found, .. } = &error else { panic!("{error}") };
            assert_eq!(*found, line, "{to}: {error}");
        }
        for end in 0..good.len() {
            if good.is_char_boundary(end) {
                let _ = parse(&good[..end]);
            }
        }
    }
}
