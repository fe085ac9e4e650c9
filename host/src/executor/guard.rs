//! What keeps a fault of the host's own from silencing a call: a panic becomes an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future that ends with `None` if the work in it panics. What the work held is dropped then, and only then is
/// `None` given; it is not polled again.
pub(super) struct Guarded<'a, F>(pub(super) Pin<&'a mut F>);

impl<F: Future> Future for Guarded<'_, F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let work = self.0.as_mut();
        // Nothing of a call outlives its panic: what is shared is behind locks that survive one.
        catch_unwind(AssertUnwindSafe(|| work.poll(cx))).map_or(Poll::Ready(None), |polled| polled.map(Some))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[tokio::test]
    async fn a_panic_drops_what_the_work_held_and_becomes_none() {
        let held = std::sync::Arc::new(());
        let mine = held.clone();
        let work = pin!(async move {
            let _mine = mine;
            tokio::task::yield_now().await;
            if std::hint::black_box(true) {
                panic!("a fault of the host's own");
            }
        });
        assert_eq!(Guarded(work).await, None);
        assert_eq!(std::sync::Arc::strong_count(&held), 1);
        assert_eq!(Guarded(pin!(async { 7 })).await, Some(7));
    }
}
