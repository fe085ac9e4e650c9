//! What passes in both directions: counted, timed, and on the way in without secrets.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};
use wasmtime_wasi_http::{Error, WasiBody};

use super::budget::Budget;
use super::send::scrub;
use crate::spec::{ScrubStream, Scrubber};

/// A guest's body on its way out. A declared length is kept to the byte: it frames the message, and a body that is longer or
/// shorter breaks the connection instead of becoming part of another message.
pub(super) struct Upload {
    body: WasiBody,
    budget: Arc<Budget>,
    /// What is still to come of a declared length.
    left: Option<u64>,
}

impl Upload {
    pub(super) fn new(body: WasiBody, budget: Arc<Budget>, length: Option<u64>) -> Self {
        Self { body, budget, left: length }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        if !self.budget.bytes(bytes) {
            return Err(Error::HttpRequestBodySize(Some(self.budget.limits().bytes)));
        }
        if let Some(left) = &mut self.left {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            *left = left.checked_sub(bytes).ok_or(Error::HttpRequestBodySize(Some(bytes)))?;
        }
        Ok(())
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                Poll::Ready(Some(self.count(bytes).map(|()| frame)))
            }
            Poll::Ready(None) if self.left.is_some_and(|left| left > 0) => {
                self.left = None;
                Poll::Ready(Some(Err(Error::HttpRequestBodySize(None))))
            }
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream() && self.left.is_none_or(|left| left == 0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(|| self.body.size_hint(), SizeHint::with_exact)
    }
}

/// A peer's body on its way in.
pub(super) struct Download {
    body: Incoming,
    budget: Arc<Budget>,
    between: Duration,
    silence: Pin<Box<Sleep>>,
    scrub: Option<(Arc<Scrubber>, ScrubStream)>,
    ended: bool,
    /// Trailers that come after what was held back.
    tail: Option<Frame<Bytes>>,
    /// Another of the call's requests may begin when this one is read.
    _place: OwnedSemaphorePermit,
}

impl Download {
    pub(super) fn new(
        body: Incoming,
        budget: Arc<Budget>,
        between: Duration,
        scrubber: Option<Arc<Scrubber>>,
        place: OwnedSemaphorePermit,
    ) -> Self {
        let scrub = scrubber.map(|scrubber| (scrubber, ScrubStream::default()));
        Self {
            body,
            budget,
            between,
            silence: Box::pin(sleep(between)),
            scrub,
            ended: false,
            tail: None,
            _place: place,
        }
    }

    /// What of a frame the guest is given; none if all of it is held back for now.
    fn pass(&mut self, frame: Frame<Bytes>) -> Result<Option<Frame<Bytes>>, Error> {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        if !self.budget.bytes(bytes) {
            return Err(Error::HttpResponseBodySize(Some(self.budget.limits().bytes)));
        }
        let Some((scrubber, stream)) = &mut self.scrub else { return Ok(Some(frame)) };
        match frame.into_data() {
            Ok(data) => {
                let passed = stream.push(scrubber, &data);
                Ok((!passed.is_empty()).then(|| Frame::data(passed.into())))
            }
            Err(frame) => Ok(frame.into_trailers().ok().map(|mut trailers| {
                scrub(&mut trailers, scrubber);
                Frame::trailers(trailers)
            })),
        }
    }

    /// What can be given while nothing more is there.
    fn so_far(&mut self) -> Option<Bytes> {
        let (scrubber, stream) = self.scrub.as_mut()?;
        Some(stream.pause(scrubber)).filter(|some| !some.is_empty()).map(Bytes::from)
    }

    /// What was held back, at the end.
    fn rest(&mut self) -> Option<Bytes> {
        let (scrubber, stream) = self.scrub.as_mut()?;
        Some(stream.finish(scrubber)).filter(|rest| !rest.is_empty()).map(Bytes::from)
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.ended {
            return Poll::Ready(self.tail.take().map(Ok));
        }
        loop {
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let ends = Instant::now() + self.between;
                    self.silence.as_mut().reset(ends);
                    match self.pass(frame) {
                        Ok(None) => {}
                        Ok(Some(frame)) if frame.is_trailers() => {
                            self.ended = true;
                            // What is held back goes before them.
                            let Some(rest) = self.rest() else { return Poll::Ready(Some(Ok(frame))) };
                            self.tail = Some(frame);
                            return Poll::Ready(Some(Ok(Frame::data(rest))));
                        }
                        Ok(Some(frame)) => return Poll::Ready(Some(Ok(frame))),
                        Err(error) => {
                            self.ended = true;
                            return Poll::Ready(Some(Err(error)));
                        }
                    }
                }
                Poll::Ready(Some(Err(fault))) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(fault.into())));
                }
                Poll::Ready(None) => {
                    self.ended = true;
                    return Poll::Ready(self.rest().map(|rest| Ok(Frame::data(rest))));
                }
                Poll::Pending => {
                    if let Some(so_far) = self.so_far() {
                        return Poll::Ready(Some(Ok(Frame::data(so_far))));
                    }
                    if self.silence.as_mut().poll(cx).is_pending() {
                        return Poll::Pending;
                    }
                    self.ended = true;
                    return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        (self.ended && self.tail.is_none()) || (self.scrub.is_none() && self.body.is_end_stream())
    }
}
