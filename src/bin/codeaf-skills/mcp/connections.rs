//! Who may stay connected: a bounded number of connections, of which the one
//! that has done nothing for longest goes when somebody new comes.
//!
//! A connection is idle until a whole request has arrived, and again once it is
//! answered. So neither half a request nor a client that keeps its connection
//! for later takes the place of one that asks. What is asked is not known here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The places of all connections.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    held: Mutex<Held>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Held {
    count: usize,
    /// Counts up, so that an earlier turn is an older one.
    next_turn: u64,
    /// Who is idle, by when it began, and how it is told to go.
    idle: BTreeMap<u64, CancellationToken>,
}

impl Connections {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            held: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Waits for a place. Where all are taken, the oldest idle connection has to
    /// go; where none is idle, one that ends has to be waited for.
    pub(super) async fn enter(self: &Arc<Self>) -> Arc<Connection> {
        loop {
            if let Some(connection) = self.try_enter() {
                return connection;
            }
            self.freed.notified().await;
        }
    }

    fn try_enter(self: &Arc<Self>) -> Option<Arc<Connection>> {
        let mut held = self.lock();
        if held.count >= self.most {
            if let Some((_, oldest)) = held.idle.pop_first() {
                oldest.cancel();
            }
            return None;
        }
        held.count += 1;
        drop(held);
        let connection = Arc::new(Connection {
            all: Arc::clone(self),
            idle_since: Mutex::default(),
            must_go: CancellationToken::new(),
        });
        connection.rest();
        Some(connection)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place; dropped, it is free.
#[derive(Debug)]
pub(super) struct Connection {
    all: Arc<Connections>,
    idle_since: Mutex<Option<u64>>,
    /// Cancelled when the place is needed for somebody else.
    pub(super) must_go: CancellationToken,
}

impl Connection {
    /// Keeps the place for as long as the guard lives.
    pub(super) fn work(self: &Arc<Self>) -> Working {
        let mut held = self.all.lock();
        if let Some(turn) = self.idle_since().take() {
            held.idle.remove(&turn);
        }
        Working(Arc::clone(self))
    }

    fn rest(&self) {
        let mut held = self.all.lock();
        let turn = held.next_turn;
        held.next_turn += 1;
        held.idle.insert(turn, self.must_go.clone());
        *self.idle_since() = Some(turn);
    }

    fn idle_since(&self) -> MutexGuard<'_, Option<u64>> {
        self.idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut held = self.all.lock();
        held.count -= 1;
        if let Some(turn) = self.idle_since().take() {
            held.idle.remove(&turn);
        }
        drop(held);
        self.all.freed.notify_one();
    }
}

/// A connection whose request is being answered.
#[derive(Debug)]
pub(super) struct Working(Arc<Connection>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes(connection: &Connection) -> bool {
        connection.must_go.is_cancelled()
    }

    #[test]
    fn the_oldest_idle_connection_goes_and_none_that_works() {
        let all = Connections::new(3);
        let enter = || all.try_enter();
        let (first, second, third) = (enter().unwrap(), enter().unwrap(), enter().unwrap());
        let working = first.work();

        assert!(enter().is_none());
        assert!(!goes(&first) && goes(&second) && !goes(&third));

        drop(second);
        let fourth = enter().unwrap();
        drop(working);
        // The first has been idle for the shortest time now.
        assert!(enter().is_none());
        assert!(!goes(&first) && goes(&third) && !goes(&fourth));
    }

    #[test]
    fn where_all_work_nobody_goes() {
        let all = Connections::new(1);
        let only = all.try_enter().unwrap();
        let working = only.work();

        assert!(all.try_enter().is_none());
        assert!(!goes(&only));

        drop((working, only));
        assert!(all.try_enter().is_some());
    }
}
