//! Outgoing HTTP: linked, since JavaScript and Python components do not start without it, and denied.

use wasmtime_wasi_http::{RequestOptions, WasiHttpCtx, WasiHttpHooks};

/// Header fields of one request, in bytes.
const FIELDS: usize = 16 << 10;

/// The settings of one call.
pub(super) fn context() -> WasiHttpCtx {
    let mut context = WasiHttpCtx::new();
    context.set_field_size_limit(FIELDS);
    context
}

/// Refuses every request before anything is resolved or dialled.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeniedHttp;

type Sent = Result<
    (
        http::Response<wasmtime_wasi_http::WasiBody>,
        Box<dyn Future<Output = Result<(), wasmtime_wasi_http::Error>> + Send>,
    ),
    wasmtime_wasi_http::Error,
>;

impl WasiHttpHooks for DeniedHttp {
    fn send_request(
        &mut self,
        _request: http::Request<wasmtime_wasi_http::WasiBody>,
        _options: Option<RequestOptions>,
        _done: Box<dyn Future<Output = Result<(), wasmtime_wasi_http::Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        Box::new(async { Err(wasmtime_wasi_http::Error::HttpRequestDenied) })
    }

    /// A body that nobody sends is buffered all the same, and a guest may hold many.
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        4_096
    }
}
