use std::time::Duration;

use super::*;
use crate::policy::Pools as Settings;

fn pools(size: u32, tool_share: u32, tenant_share: u32) -> Pools {
    let mut settings = Settings::default();
    settings.insert(&"default".parse().unwrap(), PoolSettings { size, tool_share, tenant_share });
    Pools::new(&settings)
}

fn asking(tool: &str, tenant: &str) -> Asking {
    let weights = Weights { tenant: 1, tool: 1 };
    Asking { tool: tool.parse().unwrap(), tenant: tenant.parse().unwrap(), weights, resumes: false }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(20)
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3_600)
}

#[tokio::test(start_paused = true)]
async fn a_tool_and_a_tenant_keep_to_their_shares() {
    let pools = pools(4, 1, 2);
    let take = async |tool, tenant| pools.take("default", &asking(tool, tenant), soon()).await;
    let first = take("t", "a").await.unwrap();
    assert_eq!(take("t", "b").await.err(), Some(NoPermit::TooLate));
    let _second = take("u", "a").await.unwrap();
    assert_eq!(take("v", "a").await.err(), Some(NoPermit::TooLate));
    assert_eq!(pools.taken(), 2);
    drop(first);
    assert!(take("t", "b").await.is_ok());
    assert_eq!(pools.taken(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_line_is_bounded_and_can_be_left() {
    let pools = pools(2, 2, 1);
    let (of_a, of_b) = (asking("t", "a"), asking("t", "b"));
    let held = pools.take("default", &of_a, soon()).await.unwrap();
    let mut line: Vec<_> =
        (0..WAITING_PER_PLACE).map(|_| Box::pin(pools.take("default", &of_a, far()))).collect();
    for waiting in &mut line {
        assert!(poll(waiting.as_mut()).is_none());
    }
    assert_eq!(pools.take("default", &of_a, far()).await.err(), Some(NoPermit::Full));
    assert!(pools.take("default", &of_b, far()).await.is_ok(), "the line of one tenant is no other's");
    drop(line.pop());
    assert_eq!(pools.take("default", &of_a, soon()).await.err(), Some(NoPermit::TooLate));
    drop(held);
    assert!(line.swap_remove(0).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_resumes_is_let_in_first_whatever_waits() {
    let pools = pools(1, 1, 1);
    let (plain, resuming) = (asking("t", "a"), Asking { resumes: true, ..asking("t", "a") });
    let held = pools.take("default", &plain, soon()).await.unwrap();
    let mut line: Vec<_> =
        (0..WAITING_PER_PLACE).map(|_| Box::pin(pools.take("default", &plain, far()))).collect();
    for waiting in &mut line {
        assert!(poll(waiting.as_mut()).is_none());
    }
    let mut resumed = Box::pin(pools.take("default", &resuming, far()));
    assert!(poll(resumed.as_mut()).is_none());
    drop(held);
    assert!(poll(line[0].as_mut()).is_none());
    assert!(poll(resumed.as_mut()).is_some_and(|permit| permit.is_ok()));
    assert!(poll(line[0].as_mut()).is_some_and(|permit| permit.is_ok()));
}

/// Who of those that wait gets the second place of a pool, one after the other.
async fn order(pools: &Pools, waiting: &[Asking], places: usize) -> Vec<String> {
    let first = asking("first", "first");
    let _kept = pools.take("default", &first, soon()).await.unwrap();
    let mut held = Some(pools.take("default", &first, soon()).await.unwrap());
    let mut line: Vec<_> =
        waiting.iter().map(|asking| Some(Box::pin(pools.take("default", asking, far())))).collect();
    for place in line.iter_mut().flatten() {
        assert!(poll(place.as_mut()).is_none());
    }
    let mut order = Vec::new();
    for _ in 0..places {
        drop(held.take());
        for (asking, place) in waiting.iter().zip(&mut line) {
            if let Some(permit) = place.as_mut().and_then(|place| poll(place.as_mut())) {
                order.push(format!("{}/{}", asking.tenant, asking.tool));
                held = Some(permit.unwrap());
                *place = None;
                break;
            }
        }
    }
    order
}

#[tokio::test(start_paused = true)]
async fn tenants_take_turns_and_then_their_tools() {
    let flood = std::iter::repeat_n(asking("t", "a"), 6);
    let waiting: Vec<_> =
        flood.chain([asking("u", "a"), asking("t", "b"), asking("t", "b"), asking("u", "b")]).collect();
    assert_eq!(
        order(&pools(2, 2, 2), &waiting, 10).await,
        ["a/t", "b/t", "a/u", "b/u", "a/t", "b/t", "a/t", "a/t", "a/t", "a/t"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_weight_is_a_multiple_of_turns() {
    let heavy = Asking { weights: Weights { tenant: 3, tool: 1 }, ..asking("t", "heavy") };
    let waiting: Vec<_> = std::iter::repeat_n(asking("t", "a"), 8).chain(vec![heavy; 8]).collect();
    let order = order(&pools(2, 2, 2), &waiting, 8).await;
    assert_eq!(order.iter().filter(|who| *who == "heavy/t").count(), 6, "{order:?}");
    let heavy = Asking { weights: Weights { tenant: 1, tool: 3 }, ..asking("heavy", "a") };
    let waiting: Vec<_> = std::iter::repeat_n(asking("t", "a"), 8).chain(vec![heavy; 8]).collect();
    let order = self::order(&pools(2, 2, 2), &waiting, 8).await;
    assert_eq!(order.iter().filter(|who| *who == "a/heavy").count(), 6, "{order:?}");
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
