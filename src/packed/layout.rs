//! Where the cells of a value lie: which bits of a slot's number count along which dimension.
//!
//! Every dimension is as long as the next power of two, or *repeats*: then the value is the same all along it, and takes no room. The bits of a
//! slot's number above those that one ciphertext has tell which ciphertext it is in. Bits that no dimension takes are gaps.

/// How many slots one ciphertext has, as powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// log2 of the slots that turn together.
    pub ring: u32,
    /// log2 of how many such rings there are: 0 or 1. Slots of the second one come after those of the first.
    pub rings: u32,
}

impl Frame {
    /// log2 of all slots.
    pub fn slots(self) -> u32 {
        self.ring + self.rings
    }
}

/// A dimension of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Its length.
    pub size: u64,
    /// The lowest of its bits; none where the value repeats along it.
    pub low: Option<u32>,
    /// True where slots between its length and the next power of two may be other than 0.
    pub dirty: bool,
}

/// log2 of the next power of two.
pub fn bits(size: u64) -> u32 {
    size.next_power_of_two().ilog2()
}

impl Axis {
    /// Its bits in the number of a slot.
    pub fn mask(self) -> u64 {
        self.low.map_or(0, |low| ((1 << bits(self.size)) - 1) << low)
    }

    /// Which cells along it lie in ciphertext number `part`, of 2^`slots` slots.
    pub fn within(self, part: u64, slots: u32) -> std::ops::Range<u64> {
        let Some(low) = self.low else { return 0..self.size };
        let own = self.mask() >> slots & part;
        let (first, count) = match low.checked_sub(slots) {
            Some(above) => (own >> above, 1),
            None => (own << (slots - low), 1 << (slots - low)),
        };
        first.min(self.size)..(first + count).min(self.size)
    }
}

/// Where the cells of a value lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// One for each dimension.
    pub axes: Vec<Axis>,
    /// The gaps along which slots repeat.
    pub repeated: u64,
    /// The gaps where a slot is 0 unless its bits there are 0. In all other gaps slots are anything, unless their bits there are 0.
    pub zero: u64,
}

impl Layout {
    /// Fresh: it repeats along all gaps.
    pub fn fresh(axes: Vec<Axis>, frame: Frame) -> Self {
        let mut layout = Self { axes, repeated: 0, zero: 0 };
        layout.repeated = layout.gaps(frame);
        layout
    }

    /// The bits that dimensions take.
    pub fn mapped(&self) -> u64 {
        self.axes.iter().fold(0, |all, axis| all | axis.mask())
    }

    /// The gaps of a ciphertext.
    pub fn gaps(&self, frame: Frame) -> u64 {
        ((1 << frame.slots()) - 1) & !self.mapped()
    }

    /// Gaps where slots are anything.
    pub fn junk(&self, frame: Frame) -> u64 {
        self.gaps(frame) & !self.repeated & !self.zero
    }

    /// True where a slot that is no cell's may be other than 0 or what a cell's is.
    pub fn unclean(&self, frame: Frame) -> bool {
        self.junk(frame) != 0 || self.axes.iter().any(|axis| axis.dirty)
    }

    /// True where slots repeat along all bits of a ring from `end` on: then what turns over the end of a dimension there comes from where it repeats.
    pub fn repeats_above(&self, end: u32, frame: Frame) -> bool {
        let above = ((1u64 << frame.ring) - 1) & !((1u64 << end.min(frame.ring)) - 1);
        above & !self.repeated == 0
    }

    /// The shape.
    pub fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.size).collect()
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// The number of the slot of a place, with 0 in all gaps.
    pub fn address(&self, place: &[u64]) -> u64 {
        self.axes
            .iter()
            .zip(place)
            .filter_map(|(axis, &at)| Some(at << axis.low?))
            .fold(0, |all, bits| all | bits)
    }

    /// The numbers of the slots of all cells, in order: the first dimension outermost.
    pub fn addresses(&self) -> Vec<u64> {
        let mut all = vec![0];
        for axis in &self.axes {
            let along =
                |&address: &u64| (0..axis.size).map(move |at| address | axis.low.map_or(0, |low| at << low));
            all = all.iter().flat_map(along).collect();
        }
        all
    }

    /// The ciphertexts in which cells lie.
    pub fn parts(&self, frame: Frame) -> Vec<u64> {
        let mut all = vec![0u64];
        for axis in &self.axes {
            let Some(low) = axis.low else { continue };
            let skip = frame.slots().saturating_sub(low);
            let shift = low.saturating_sub(frame.slots());
            let most = (axis.size - 1) >> skip.min(63);
            all = all.iter().flat_map(|&part| (0..=most).map(move |at| part | at << shift)).collect();
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The place of a cell along each dimension.
pub fn place(mut index: u64, shape: &[u64]) -> Vec<u64> {
    let mut place = vec![0; shape.len()];
    for (at, &dim) in place.iter_mut().zip(shape).rev() {
        (*at, index) = (index % dim, index / dim);
    }
    place
}
