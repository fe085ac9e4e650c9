//! News from a running guest, told on the request's own stream.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc;

use crate::gate::Progress;

/// How much news waits for a slow client. What does not fit is dropped where it is made.
pub(super) const QUEUE: usize = 16;

/// Passes news on until the guest has no more or the client hears none. Ends by itself when the call has ended.
pub(super) async fn forward(
    mut news: mpsc::Receiver<Progress>,
    peer: Peer<RoleServer>,
    token: ProgressToken,
) {
    let mut last = None;
    while let Some(progress) = news.recv().await {
        if !goes_on(&mut last, progress.done) {
            continue;
        }
        let mut param = ProgressNotificationParam::new(token.clone(), progress.done);
        // JSON has no other numbers.
        param.total = progress.total.filter(|total| total.is_finite());
        param.message = progress.message;
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

/// Whether a figure is more than the last one that was told: the protocol lets progress only grow.
fn goes_on(last: &mut Option<f64>, done: f64) -> bool {
    let grows = done.is_finite() && last.is_none_or(|last| done > last);
    if grows {
        *last = Some(done);
    }
    grows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_and_is_a_number() {
        let mut last = None;
        let told: Vec<f64> = [0.0, 0.0, 2.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.5, 2.5]
            .into_iter()
            .filter(|done| goes_on(&mut last, *done))
            .collect();
        assert_eq!(told, [0.0, 2.0, 2.5]);
    }
}
