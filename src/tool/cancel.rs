//! [`Cancel`]: the host's way to end a call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

/// Ends a call that is under way: a command is killed and exits with 130, other tools fail. Clones are the same handle.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

impl Cancel {
    /// Not cancelled yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the call. For good: calls that are made with this handle later end at once.
    pub fn cancel(&self) {
        self.inner.cancelled.store(true, Ordering::SeqCst);
        if let Some(waker) = self.waiting().take() {
            waker.wake();
        }
    }

    /// Whether the call is to end.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancelled.load(Ordering::SeqCst)
    }

    /// The same, and the task is woken when that changes. One call waits at a time.
    pub fn poll_cancelled(&self, cx: &mut Context<'_>) -> bool {
        *self.waiting() = Some(cx.waker().clone());
        self.is_cancelled()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.inner.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
