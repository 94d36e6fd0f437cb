//! Ctrl-C and the signals of a system: what is at work stops, and what came of it
//! is kept. The only file that knows signals.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Failure;

/// The signals by which a person or a system ends things.
#[derive(Clone, Default)]
pub(super) struct Interrupts {
    /// The answer is to stop.
    stop: Arc<AtomicBool>,
    /// So is the program.
    end: Arc<AtomicBool>,
    /// Nothing is at work, so that a signal ends the program at once.
    resting: Arc<AtomicBool>,
}

impl Interrupts {
    pub(super) fn watch() -> Result<Self, Failure> {
        let interrupts = Self::default();
        let watched = || -> io::Result<()> {
            // The second Ctrl-C, while the first is not yet heeded, ends at once.
            flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&interrupts.stop))?;
            flag::register(SIGINT, Arc::clone(&interrupts.stop))?;
            for signal in [SIGTERM, SIGHUP] {
                flag::register_conditional_default(signal, Arc::clone(&interrupts.resting))?;
                flag::register(signal, Arc::clone(&interrupts.stop))?;
                flag::register(signal, Arc::clone(&interrupts.end))?;
            }
            Ok(())
        };
        watched().map_err(|error| Failure::from_error("signals", error))?;
        Ok(interrupts)
    }

    /// Nothing is at work until [`begin`](Self::begin).
    pub(super) fn rest(&self) {
        self.resting.store(true, Ordering::SeqCst);
    }

    /// Something begins that Ctrl-C may stop.
    pub(super) fn begin(&self) {
        self.stop.store(false, Ordering::SeqCst);
        self.resting.store(false, Ordering::SeqCst);
    }

    /// Stops what is at work.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    pub(super) fn are_to_end(&self) -> bool {
        self.end.load(Ordering::SeqCst)
    }

    pub(super) fn are_to_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
