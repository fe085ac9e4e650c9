//! The one task that commits records. It gives up none: while the store fails it tries again, and the log fills up.

use std::sync::Arc;
use std::time::Duration;

use super::super::calls;
use super::super::database::Database;
use super::queue::{Entry, Next, Queue};

/// How long the first record of a group waits for others. With the commit itself it stays under 100 ms.
const LINGER: Duration = Duration::from_millis(50);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How often a closed log tries again before it gives its records up: nobody could read of it any more.
const LAST_TRIES: u32 = 3;

/// Starts the writer. It ends when the queue is closed and empty.
pub(in super::super) fn spawn(queue: Arc<Queue>, database: Arc<Database>, node: String) {
    tokio::spawn(async move {
        loop {
            match queue.next(LINGER) {
                Next::Write(group) => {
                    if !write(&queue, &database, &node, group).await {
                        return;
                    }
                }
                Next::Until(due) => {
                    // Either way the queue is asked again.
                    let _ = tokio::time::timeout_at(due, queue.woken()).await;
                }
                Next::Idle => queue.woken().await,
                Next::End => return,
            }
        }
    });
}

/// Writes a group, however long it takes. False if the log was closed and the store still fails.
async fn write(queue: &Queue, database: &Database, node: &str, group: Vec<Entry>) -> bool {
    let mut pause = FIRST_PAUSE;
    let mut tries = 0;
    loop {
        let rows = group.iter().map(|entry| &entry.row);
        let Err(fault) = calls::insert(database, node, rows).await else {
            queue.written(group);
            return true;
        };
        tries += 1;
        let closed = queue.is_closed();
        tracing::error!(%fault, records = group.len(), tries, closed, "the call log cannot be written");
        queue.failed(fault.to_string());
        if closed && tries >= LAST_TRIES {
            return false;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
