//! Long work of the core, during which the calling thread reports progress and listens for
//! interrupts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cranfield_core::error::Error;
use cranfield_core::evaluate::Monitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often progress is reported and signals are checked.
const EVERY: Duration = Duration::from_millis(100);

/// Reports progress and checks signals, and raises what one of them raises.
fn report(py: Python<'_>, monitor: &Monitor, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let done = (monitor.runs.load(Ordering::Relaxed), monitor.bytes.load(Ordering::Relaxed));
    progress.map_or(Ok(()), |progress| progress.call1(done).map(drop))?;
    py.check_signals()
}

/// Works in this thread, where the judgments are in the cache, and stops now and then to report
/// progress and check signals. For work that polls its monitor from this thread only.
pub fn in_this_thread<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let progress = progress.map(|progress| progress.clone().unbind());
    // When it last reported, and what was raised then.
    let state: Arc<Mutex<(Instant, Option<PyErr>)>> = Arc::new(Mutex::new((Instant::now(), None)));
    let shared = Arc::clone(&state);
    let poll = move |monitor: &Monitor| {
        let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0.elapsed() >= EVERY {
            if state.1.is_none() {
                Python::attach(|py| {
                    let progress = progress.as_ref().map(|given| given.bind(py));
                    state.1 = report(py, monitor, progress).err();
                });
                monitor.cancelled.store(state.1.is_some(), Ordering::Relaxed);
            }
            state.0 = Instant::now();
        }
    };
    let monitor = Arc::new(Monitor { poll: Some(Box::new(poll)), ..Monitor::default() });
    let result = py.detach(|| work(&monitor));
    let raised = state.lock().unwrap_or_else(PoisonError::into_inner).1.take();
    raised.map_or(Ok(result), Err)
}

/// Works in another thread, while this one reports progress and checks signals.
pub fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let monitor = Arc::new(Monitor::default());
    let look = || report(py, &monitor, progress);
    in_another_thread(py, || work(&monitor), &monitor.cancelled, look)
}

/// Works in another thread, while this one calls `look` every now and then. What that raises
/// cancels the work and is raised when it ends.
pub fn in_another_thread<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
    cancelled: &AtomicBool,
    look: impl Fn() -> PyResult<()>,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        // Sending fails only if this thread is gone too.
        scope.spawn(move || sender.send(work()).is_ok());
        let receiver = Mutex::new(receiver);
        let mut raised = None;
        loop {
            let outcome = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(EVERY)
            });
            match outcome {
                Ok(result) => return raised.map_or(Ok(result), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the work ended without a result"));
                }
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    raised = look().err();
                    cancelled.store(raised.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}
