//! Table splitting: a look-up in a constant table becomes two in tables whose results combine to it, by XOR or by addition,
//! or one in a permuted table at a permuted index. What lies outside stays outside, and gives 0.

use super::{Change, Recorder, Site, Transformation};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::tensor::{Element, Tensor};

/// `table_splitting`; see the module.
pub(super) struct TableSplitting;

/// Most bytes of a table that is split.
pub(super) const MOST_BYTES: usize = 64 << 10;

impl Transformation for TableSplitting {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        let (Some("gather"), &[x, index]) = (site.plain, site.inputs.as_slice()) else { return Ok(None) };
        let Some((tensor, values)) = recorder.constant_of(x) else { return Ok(None) };
        let axis = site.attrs.size("axis")?;
        let table = Table { values: values.to_vec(), tensor, axis };
        let mut ways = [Table::by_xor, Table::by_sum, Table::masked, Table::turned, Table::shuffled];
        recorder.choices.shuffle(&mut ways);
        for way in ways {
            let start = recorder.len();
            if let Some(out) = way(&table, recorder, site, index)? {
                return Ok(Some(Change::Instead(out)));
            }
            recorder.forget(start);
        }
        Ok(None)
    }
}

/// A constant table, and the axis along which it is looked up.
struct Table {
    tensor: Tensor,
    values: Vec<u64>,
    axis: usize,
}

impl Table {
    /// T = R xor (T xor R).
    fn by_xor(&self, recorder: &mut Recorder<'_>, site: &Site, _: OperandId) -> Result<Option<OperandId>> {
        self.in_two(recorder, site, |x, r| x ^ r, "xor")
    }

    /// T = R + (T - R).
    fn by_sum(&self, recorder: &mut Recorder<'_>, site: &Site, _: OperandId) -> Result<Option<OperandId>> {
        self.in_two(recorder, site, u64::wrapping_sub, "add")
    }

    fn in_two(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        part: fn(u64, u64) -> u64,
        join: &str,
    ) -> Result<Option<OperandId>> {
        let random: Vec<u64> = self.values.iter().map(|_| recorder.choices.word()).collect();
        let rest: Vec<u64> = self.values.iter().zip(&random).map(|(&x, &r)| part(x, r)).collect();
        let (Some(random), Some(rest)) =
            (recorder.constant(&self.tensor, &random)?, recorder.constant(&self.tensor, &rest)?)
        else {
            return Ok(None);
        };
        recorder.express(site, &[random, rest], &format!("A b op B b op {join}"))
    }

    /// Row i at i xor c, for tables of 2^k rows.
    fn masked(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        index: OperandId,
    ) -> Result<Option<OperandId>> {
        let rows = self.rows();
        if !rows.is_power_of_two() || rows < 2 || !holds(recorder, index, rows - 1) {
            return Ok(None);
        }
        let mask = 1 + recorder.choices.index(rows - 1);
        self.moved(recorder, site, |row| row ^ mask, &format!("b {mask} xor"))
    }

    /// Row i at rows - 1 - i. An index outside wraps to one outside.
    fn turned(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        index: OperandId,
    ) -> Result<Option<OperandId>> {
        let last = self.rows() - 1;
        if last == 0 || !holds(recorder, index, last) {
            return Ok(None);
        }
        self.moved(recorder, site, |row| last - row, &format!("{last} b sub"))
    }

    /// Row i at a place that another table tells, for 256 rows and indices of one byte, none of which is outside.
    fn shuffled(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        index: OperandId,
    ) -> Result<Option<OperandId>> {
        let bytes = recorder.integers(index).is_some_and(|index| index.element == Element::U8);
        if !bytes || self.rows() != 256 {
            return Ok(None);
        }
        let mut places: Vec<u64> = (0..256).collect();
        recorder.choices.shuffle(&mut places);
        let Some(places_table) = recorder.constant(&Tensor::new(Element::U8, [256]), &places)? else {
            return Ok(None);
        };
        let axis = Attrs::new().with("axis", 0usize);
        let Some(place) = recorder.op("u8.gather", axis, &[places_table, index])? else { return Ok(None) };
        let Some(table) = recorder.constant(&self.tensor, &self.rearranged(|row| places[row] as usize))?
        else {
            return Ok(None);
        };
        recorder.express(site, &[table, place], "A B op")
    }

    /// The look-up in the table with moved rows, at an index that moved as they did.
    fn moved(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        to: impl Fn(usize) -> usize,
        index: &str,
    ) -> Result<Option<OperandId>> {
        let Some(table) = recorder.constant(&self.tensor, &self.rearranged(to))? else { return Ok(None) };
        recorder.express(site, &[table], &format!("A {index} op"))
    }

    fn rows(&self) -> usize {
        self.tensor.shape[self.axis] as usize
    }

    /// The elements, with rows along the axis elsewhere.
    fn rearranged(&self, to: impl Fn(usize) -> usize) -> Vec<u64> {
        let (outer, rows, inner) = self.tensor.around(self.axis);
        let mut out = vec![0; self.values.len()];
        for block in 0..outer {
            for row in 0..rows {
                let at = |row: usize| (block * rows + row) * inner;
                out[at(to(row))..][..inner].copy_from_slice(&self.values[at(row)..][..inner]);
            }
        }
        out
    }
}

/// Whether indices of this kind can be as large as `last`, and are not below 0 then.
fn holds(recorder: &Recorder<'_>, index: OperandId, last: usize) -> bool {
    let most = |element| match element {
        Element::U8 => u64::from(u8::MAX),
        Element::I32 => i32::MAX as u64,
        Element::U32 => u64::from(u32::MAX),
        Element::I64 => i64::MAX as u64,
        Element::U64 => u64::MAX,
        Element::Bit | Element::F32 | Element::F64 => 0,
    };
    recorder.integers(index).is_some_and(|index| last as u64 <= most(index.element))
}
