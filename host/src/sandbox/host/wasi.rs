//! WASI 0.2 but for its files: the library's functions, interface by interface, so that none of `wasi:filesystem` is
//! among them. Those are in [`files`](super::super::files).

use wasmtime::component::Linker;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::p2::bindings::{cli, random, sockets};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView as _};
use wasmtime_wasi::{WasiView as _, p2};

use super::super::state::HostState as S;

/// Links all interfaces of the command world but those of files.
pub(super) fn link(l: &mut Linker<S>) -> wasmtime::Result<()> {
    // `io` and `clocks`, `random/random`, `cli/stdin`, `stdout` and `stderr`.
    p2::add_to_linker_proxy_interfaces_async(l)?;
    random::insecure::add_to_linker::<S, WasiRandom>(l, |state| state.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<S, WasiRandom>(l, |state| state.ctx().ctx.random())?;
    cli::exit::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::environment::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::terminal_input::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::terminal_output::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::terminal_stdin::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::terminal_stdout::add_to_linker::<S, WasiCli>(l, S::cli)?;
    cli::terminal_stderr::add_to_linker::<S, WasiCli>(l, S::cli)?;
    sockets::tcp::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    sockets::tcp_create_socket::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    sockets::udp::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    sockets::udp_create_socket::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    sockets::instance_network::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    let options = sockets::network::LinkOptions::default();
    sockets::network::add_to_linker::<S, WasiSockets>(l, &options, S::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<S, WasiSockets>(l, S::sockets)?;
    Ok(())
}
