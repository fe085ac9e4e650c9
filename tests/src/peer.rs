//! Peers on the web that do as a test says, and a network whose names and addresses are the test's own.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use toolhost::sandbox::{Connection, Later, Network};

/// A request as a peer saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Everything before the body.
    pub head: String,
    /// What came of the body.
    pub body: Vec<u8>,
    /// The body came to its end.
    pub whole: bool,
}

impl Seen {
    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What a peer does after a request.
#[derive(Debug, Clone)]
pub enum Script {
    /// Sends pieces, with a pause after each, and closes.
    Pieces(Vec<Vec<u8>>),
    /// Sends this again and again, with a pause of so many milliseconds, for as long as somebody reads.
    Forever(Vec<u8>, u64),
    /// Sends the caller to where its header `x-to` says.
    Redirect,
    /// Never answers.
    Silence,
    /// Answers with the head of the request in its own head, body and trailers, cut into pieces of so many bytes.
    Echo(usize),
}

/// A server on this machine.
#[derive(Debug)]
pub struct Peer {
    /// Where it listens.
    pub address: SocketAddr,
    script: Arc<Mutex<Script>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    open: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// A peer in the clear.
    pub async fn start(script: Script) -> Self {
        Self::serve(script, None).await
    }

    /// A peer behind TLS, and the certificate authority that it is to be trusted by, in PEM.
    pub async fn start_encrypted(script: Script, name: &str) -> (Self, String) {
        let key = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
        let chain = vec![key.cert.der().clone()];
        let private =
            rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(chain, private)
            .expect("a certificate and its key");
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        (Self::serve(script, Some(acceptor)).await, key.cert.pem())
    }

    async fn serve(script: Script, tls: Option<tokio_rustls::TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (seen, open) = (Arc::new(Mutex::default()), Arc::new(AtomicUsize::new(0)));
        let (all, held) = (Arc::clone(&seen), Arc::clone(&open));
        let script = Arc::new(Mutex::new(script));
        let played = Arc::clone(&script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (all, held, tls) = (all.clone(), held.clone(), tls.clone());
                let script = played.lock().expect("no panic").clone();
                tokio::spawn(async move {
                    held.fetch_add(1, Ordering::SeqCst);
                    // A peer that breaks off is what some tests want.
                    let _ = match tls {
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => answer(stream, &script, &all).await,
                            Err(fault) => Err(fault),
                        },
                        None => answer(stream, &script, &all).await,
                    };
                    held.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, script, seen, open, task }
    }

    /// Does something else on later connections.
    pub fn plays(&self, script: Script) {
        *self.script.lock().expect("no panic") = script;
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Connections that are open now.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

async fn answer(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &Script,
    all: &Mutex<Vec<Seen>>,
) -> io::Result<()> {
    let seen = request(&mut stream).await?;
    let head = seen.head.clone();
    let (whole, to) = (seen.whole, seen.header("x-to").unwrap_or_default().to_owned());
    all.lock().expect("no panic").push(seen);
    if !whole {
        return Ok(());
    }
    match script {
        Script::Silence => {
            let mut byte = [0];
            while stream.read(&mut byte).await? > 0 {}
        }
        Script::Redirect => {
            let head = format!("HTTP/1.1 302 Found\r\nLocation: http://{to}/\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
        }
        Script::Pieces(pieces) => {
            for piece in pieces {
                stream.write_all(piece).await?;
                stream.flush().await?;
                tokio::task::yield_now().await;
            }
        }
        Script::Forever(piece, pause) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await?;
            loop {
                stream.write_all(&chunk(piece)).await?;
                stream.flush().await?;
                tokio::time::sleep(std::time::Duration::from_millis(*pause)).await;
            }
        }
        Script::Echo(size) => {
            let line = head.replace("\r\n", " | ");
            let start = format!(
                "HTTP/1.1 302 Found\r\nLocation: https://other.test/?{line}\r\nX-Echo: {line}\r\n\
                 Trailer: x-end\r\nTransfer-Encoding: chunked\r\n\r\n"
            );
            stream.write_all(start.as_bytes()).await?;
            for piece in line.as_bytes().chunks((*size).max(1)) {
                stream.write_all(&chunk(piece)).await?;
                stream.flush().await?;
            }
            stream.write_all(format!("0\r\nX-End: {line}\r\n\r\n").as_bytes()).await?;
        }
    }
    stream.shutdown().await
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

async fn request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut body = bytes.split_off(end + 4);
    let mut seen = Seen { head, body: Vec::new(), whole: true };
    let length = seen.header("content-length").and_then(|length| length.parse::<usize>().ok());
    let chunked = seen.header("transfer-encoding").is_some();
    let whole = |body: &[u8]| match length {
        Some(length) => body.len() >= length,
        None => !chunked || body.ends_with(b"0\r\n\r\n"),
    };
    while !whole(&body) {
        if stream.read_buf(&mut body).await? == 0 {
            seen.whole = false;
            break;
        }
    }
    seen.body = body;
    Ok(seen)
}

/// A network of a test's own: what names resolve to, one answer after the other, and one peer behind every address.
#[derive(Debug, Default)]
pub struct FakeNetwork {
    names: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    peer: Mutex<Option<SocketAddr>>,
    asked: Mutex<Vec<String>>,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl FakeNetwork {
    /// A network in which every dialled address is this peer.
    pub fn to(peer: SocketAddr) -> Arc<Self> {
        Arc::new(Self { peer: Mutex::new(Some(peer)), ..Self::default() })
    }

    /// Lets a name resolve to these addresses; of several calls each is one answer, and the last one stays.
    pub fn name(&self, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        self.names.lock().expect("no panic").entry(name.to_owned()).or_default().push(addresses);
    }

    /// Lets a name resolve to these addresses from now on.
    pub fn moves(&self, name: &str, addresses: &[&str]) {
        self.names.lock().expect("no panic").remove(name);
        self.name(name, addresses);
    }

    /// The names that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }

    /// The addresses that were dialled.
    pub fn dialled(&self) -> Vec<SocketAddr> {
        self.dialled.lock().expect("no panic").clone()
    }
}

impl Network for FakeNetwork {
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> Later<'a, Vec<SocketAddr>> {
        self.asked.lock().expect("no panic").push(name.to_owned());
        let mut names = self.names.lock().expect("no panic");
        let answer = names.get_mut(name).map(|answers| match answers.len() {
            1 => answers[0].clone(),
            _ => answers.remove(0),
        });
        Box::pin(async move {
            let addresses = answer.ok_or_else(|| io::Error::other("no such name"))?;
            Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
        })
    }

    fn dial(&self, address: SocketAddr) -> Later<'_, Box<dyn Connection>> {
        self.dialled.lock().expect("no panic").push(address);
        let peer = *self.peer.lock().expect("no panic");
        Box::pin(async move {
            let peer = peer.ok_or_else(|| io::Error::other("nobody is there"))?;
            Ok(Box::new(tokio::net::TcpStream::connect(peer).await?) as Box<dyn Connection>)
        })
    }
}
