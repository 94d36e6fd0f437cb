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
    /// A place fell free, or a connection became idle. What happened while nobody
    /// waited wakes the next one that does, so that waking alone means nothing.
    changed: Notify,
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
            changed: Notify::new(),
        })
    }

    /// Waits for a place. Where all are taken, the oldest idle connection has to
    /// go, and no second one: where none is idle, the first that becomes so, or
    /// that ends.
    pub(super) async fn enter(self: &Arc<Self>) -> Arc<Connection> {
        let mut makes_room = false;
        loop {
            if let Some(connection) = self.try_enter() {
                return connection;
            }
            makes_room = makes_room || self.send_oldest_away();
            self.changed.notified().await;
        }
    }

    fn try_enter(self: &Arc<Self>) -> Option<Arc<Connection>> {
        let mut held = self.lock();
        if held.count >= self.most {
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

    /// Returns whether one was idle.
    fn send_oldest_away(&self) -> bool {
        let oldest = self.lock().idle.pop_first();
        oldest.map(|(_, oldest)| oldest.cancel()).is_some()
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
        drop(held);
        self.all.changed.notify_one();
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
        self.all.changed.notify_one();
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
    use tokio::task::JoinHandle;

    fn goes(connection: &Connection) -> bool {
        connection.must_go.is_cancelled()
    }

    /// Lets all who wait go on until nothing moves.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    /// Returns one that waits for a place.
    async fn newcomer(all: &Arc<Connections>) -> JoinHandle<Arc<Connection>> {
        let all = Arc::clone(all);
        let waiting = tokio::spawn(async move { all.enter().await });
        settle().await;
        waiting
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(test);
    }

    #[test]
    fn the_oldest_idle_connection_goes_and_none_that_works() {
        run(async {
            let all = Connections::new(3);
            let (first, second, third) = (all.enter().await, all.enter().await, all.enter().await);
            let working = first.work();

            let newcomer = newcomer(&all).await;
            assert!(!goes(&first) && goes(&second) && !goes(&third));

            drop(second);
            let fourth = newcomer.await.unwrap();
            drop(working);
            // The first has been idle for the shortest time now.
            assert!(all.send_oldest_away());
            assert!(!goes(&first) && goes(&third) && !goes(&fourth));
        });
    }

    #[test]
    fn a_newcomer_sends_one_away_however_many_ended_before() {
        run(async {
            let all = Connections::new(4);
            // Nobody waited when it ended.
            drop(all.enter().await);
            let mut house = Vec::new();
            for _ in 0..4 {
                house.push(all.enter().await);
            }

            let newcomer = newcomer(&all).await;

            let leaving = house.iter().filter(|connection| goes(connection)).count();
            assert_eq!(leaving, 1);
            house.retain(|connection| !goes(connection));
            assert!(!goes(&newcomer.await.unwrap()));
            settle().await;
            assert!(!house.iter().any(|connection| goes(connection)));
        });
    }

    #[test]
    fn where_all_work_the_first_that_is_done_goes() {
        run(async {
            let all = Connections::new(1);
            let only = all.enter().await;
            let working = only.work();

            let newcomer = newcomer(&all).await;
            assert!(!goes(&only));

            drop(working);
            settle().await;
            assert!(goes(&only));
            drop(only);
            newcomer.await.unwrap();
        });
    }
}
