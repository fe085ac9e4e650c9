//! The signals by which a person or a supervisor ends the command, or has it look at its components again.
//!
//! A hang-up means either: a supervisor asks for a reload by it, and a terminal that is closed sends it to whoever runs there.

use std::io::IsTerminal as _;

/// Waits for an interrupt, a request to terminate, or the end of the terminal. Can be awaited again for the next one.
///
/// Where a signal cannot be listened to, the system's own answer to it stays: the process ends.
pub(super) async fn interrupted() {
    tokio::select! {
        () = interrupt() => {}
        () = terminate() => {}
        () = terminal_closed() => {}
    }
}

/// The hang-up signals from now on: one that comes while nobody waits is not lost, and does not end the process.
pub(super) struct HangUps {
    #[cfg(unix)]
    signals: Option<tokio::signal::unix::Signal>,
    had_terminal: bool,
}

impl HangUps {
    /// Begins to listen. Where that cannot be done, the system's own answer to the signal stays: the process ends.
    pub(super) fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signals: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
            had_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Waits for the next one that asks for a reload.
    pub(super) async fn reload_asked(&mut self) {
        loop {
            self.next().await;
            if std::io::stderr().is_terminal() == self.had_terminal {
                return;
            }
        }
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        match &mut self.signals {
            Some(signals) => {
                signals.recv().await;
            }
            None => std::future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        std::future::pending().await
    }
}

async fn terminal_closed() {
    let had_terminal = std::io::stderr().is_terminal();
    loop {
        hang_up().await;
        if had_terminal && !std::io::stderr().is_terminal() {
            return;
        }
    }
}

async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn terminate() {
    next(tokio::signal::unix::SignalKind::terminate()).await;
}

#[cfg(unix)]
async fn hang_up() {
    next(tokio::signal::unix::SignalKind::hangup()).await;
}

#[cfg(unix)]
async fn next(kind: tokio::signal::unix::SignalKind) {
    match tokio::signal::unix::signal(kind) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminate() {
    std::future::pending().await
}

#[cfg(not(unix))]
async fn hang_up() {
    std::future::pending().await
}
