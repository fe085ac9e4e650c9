//! A way to a server that can be cut and held up, as a network does.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// They pass.
    Open,
    /// They wait.
    Held,
    /// Connections are closed, and new ones too.
    Cut,
}

/// A moment of a conversation at which it stops for good, on the connection where it comes.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// What the client says.
    pub said: &'static str,
    /// What the server answers some time after that, which the client does not get any more. Without it the server does
    /// not get what the client says.
    pub answered: Option<&'static str>,
}

/// A proxy on a free port of this machine.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    flow: watch::Sender<Flow>,
    stopped: watch::Receiver<bool>,
}

impl Proxy {
    /// Starts a proxy to a server, on which conversations stop at a moment.
    pub async fn start(server: String, stop: Option<Stop>) -> Self {
        let (reached, stopped) = watch::channel(false);
        let reached = Arc::new(reached);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let flow = watch::Sender::new(Flow::Open);
        let changes = flow.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, flow, reached) = (server.clone(), changes.clone(), reached.clone());
                tokio::spawn(async move {
                    if *flow.borrow() == Flow::Cut {
                        return;
                    }
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    let said = AtomicBool::new(false);
                    // Nothing answers to what was not said.
                    let wait = |text: &[u8]| {
                        stop.is_some_and(|stop| {
                            let now = contains(text, stop.said);
                            said.fetch_or(now, Ordering::Relaxed);
                            now && stop.answered.is_none()
                        })
                    };
                    let lose = |text: &[u8]| {
                        stop.and_then(|stop| stop.answered)
                            .is_some_and(|answer| said.load(Ordering::Relaxed) && contains(text, answer))
                    };
                    tokio::select! {
                        () = pass(from_client, to_server, &flow, wait, &reached) => {}
                        () = pass(from_server, to_client, &flow, lose, &reached) => {}
                    }
                });
            }
        });
        Self { address, flow, stopped }
    }

    /// Waits until a conversation has stopped.
    pub async fn stopped(&mut self) {
        self.stopped.wait_for(|stopped| *stopped).await.expect("the proxy runs");
    }

    /// Changes what becomes of bytes from now on.
    pub fn set(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Passes bytes on until either side ends. From what `stops` says on nothing passes.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    changes: &watch::Sender<Flow>,
    stops: impl Fn(&[u8]) -> bool,
    reached: &watch::Sender<bool>,
) {
    let mut flow = changes.subscribe();
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            _ = flow.wait_for(|flow| *flow == Flow::Cut) => return,
        };
        let Ok(length @ 1..) = read else { return };
        if stops(&buffer[..length]) {
            reached.send_replace(true);
            // The other side is there until this one is gone.
            while from.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
            return;
        }
        match flow.wait_for(|flow| *flow != Flow::Held).await.as_deref() {
            Ok(Flow::Open) => {}
            _ => return,
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
