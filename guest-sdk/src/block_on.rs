//! Runs a future to its end on the guest's only thread.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::failure::ToolError;

/// Runs the future of an `async` tool. A guest is single-threaded, and the host's imports return when they are done,
/// so that nothing else runs while the future waits.
///
/// # Errors
/// A future that is not ready and has not woken itself can never be woken by anybody. That ends the call at once
/// with a failure of kind `NeverWoken`, where waiting would only use up its deadline.
pub fn block_on<F: Future>(future: F) -> Result<F::Output, ToolError> {
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Ok(output);
        }
        if !woken.0.swap(false, Ordering::Relaxed) {
            return Err(ToolError::with_kind(
                "NeverWoken",
                "The tool waits for something that nothing in its sandbox can bring about.",
            ));
        }
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_wakes_itself_is_polled_to_its_end() {
        let mut left = 3;
        let future = std::future::poll_fn(|task| {
            left -= 1;
            task.waker().wake_by_ref();
            if left == 0 { Poll::Ready("done") } else { Poll::Pending }
        });
        assert_eq!(block_on(future), Ok("done"));
    }

    #[test]
    fn a_future_that_nobody_can_wake_is_a_failure_and_no_hang() {
        let error = block_on(std::future::pending::<()>()).expect_err("nothing wakes it");
        assert_eq!(error.kind(), "NeverWoken");
    }
}
