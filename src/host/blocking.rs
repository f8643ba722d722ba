//! Runs a future on the calling thread: for hosts without an executor.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives `future` to its end; between polls the thread sleeps until it is woken, or as long as `pause` says.
pub fn block_on<F: Future>(future: F, mut pause: impl FnMut() -> Option<Duration>) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
        match pause() {
            Some(time) => thread::park_timeout(time),
            None => thread::park(),
        }
    }
}
