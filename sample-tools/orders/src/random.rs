//! Numbers that look random and depend on the tenant alone.

/// A sequence of numbers (SplitMix64), not fit for secrets.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence that belongs to a text: the same each time, in every process.
    pub(crate) fn from_text(text: &str) -> Self {
        let start = 0xcbf2_9ce4_8422_2325_u64;
        Self(text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// A number from 0 to `bound` - 1, or 0 for a bound of 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper half times the bound, shifted back: below the bound without a division or a bias that matters.
        let scaled = (mixed >> 32) * u64::from(bound);
        u32::try_from(scaled >> 32).unwrap_or_default()
    }

    /// One of these, or none if there are none.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(u32::try_from(from.len()).unwrap_or(u32::MAX));
        from.get(usize::try_from(index).ok()?)
    }
}
