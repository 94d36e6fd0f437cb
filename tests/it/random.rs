//! Numbers that look random and are the same in every run.

/// Marsaglia's xorshift with 64 bits.
pub(crate) struct Random(u64);

impl Random {
    /// Starts from a seed other than 0.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A place in a list that is not empty.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    /// One of `choices`, which is not empty.
    pub(crate) fn choice<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// A number from 0 to 1.
    #[allow(clippy::cast_precision_loss)] // 32 bits fit
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 32) as f64 / f64::from(u32::MAX)
    }
}
