use std::time::Duration;

use super::*;
use crate::policy::Pools as Settings;

fn pools(size: u32, tool_share: u32, tenant_share: u32) -> Pools {
    let mut settings = Settings::default();
    settings.insert(&"default".parse().unwrap(), PoolSettings { size, tool_share, tenant_share });
    Pools::new(&settings)
}

fn names() -> (ToolName, ToolName, TenantId, TenantId) {
    ("t".parse().unwrap(), "u".parse().unwrap(), "a".parse().unwrap(), "b".parse().unwrap())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(20)
}

#[tokio::test(start_paused = true)]
async fn a_tool_and_a_tenant_keep_to_their_shares() {
    let (t, u, a, b) = names();
    let pools = pools(4, 1, 2);
    let first = pools.take("default", &t, &a, soon()).await.unwrap();
    assert_eq!(pools.take("default", &t, &b, soon()).await.err(), Some(NoPermit::TooLate));
    let _second = pools.take("default", &u, &a, soon()).await.unwrap();
    let third: ToolName = "v".parse().unwrap();
    assert_eq!(pools.take("default", &third, &a, soon()).await.err(), Some(NoPermit::TooLate));
    assert_eq!(pools.taken(), 2);
    drop(first);
    assert!(pools.take("default", &t, &b, soon()).await.is_ok());
    assert_eq!(pools.taken(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_line_is_bounded_and_can_be_left() {
    let (t, _, a, _) = names();
    let pools = pools(1, 1, 1);
    let held = pools.take("default", &t, &a, soon()).await.unwrap();
    let far = Instant::now() + Duration::from_secs(3600);
    let mut line: Vec<_> =
        (0..WAITING_PER_PLACE).map(|_| Box::pin(pools.take("default", &t, &a, far))).collect();
    for waiting in &mut line {
        assert!(futures_poll(waiting.as_mut()).is_none());
    }
    assert_eq!(pools.take("default", &t, &a, far).await.err(), Some(NoPermit::Full));
    drop(line.pop());
    assert_eq!(pools.take("default", &t, &a, soon()).await.err(), Some(NoPermit::TooLate));
    drop(held);
    assert!(line.swap_remove(0).await.is_ok());
}

fn futures_poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
