//! A way to a server that can be cut and held up, as a network does.

use std::net::SocketAddr;

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

/// A proxy on a free port of this machine.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    flow: watch::Sender<Flow>,
}

impl Proxy {
    /// Starts a proxy to a server.
    pub async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let flow = watch::Sender::new(Flow::Open);
        let changes = flow.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, flow) = (server.clone(), changes.clone());
                tokio::spawn(async move {
                    if *flow.borrow() == Flow::Cut {
                        return;
                    }
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::select! {
                        () = pass(from_client, to_server, &flow) => {}
                        () = pass(from_server, to_client, &flow) => {}
                    }
                });
            }
        });
        Self { address, flow }
    }

    /// Changes what becomes of bytes from now on.
    pub fn set(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, changes: &watch::Sender<Flow>) {
    let mut flow = changes.subscribe();
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            _ = flow.wait_for(|flow| *flow == Flow::Cut) => return,
        };
        let Ok(length @ 1..) = read else { return };
        match flow.wait_for(|flow| *flow != Flow::Held).await.as_deref() {
            Ok(Flow::Open) => {}
            _ => return,
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
