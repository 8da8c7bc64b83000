//! Long work of the core that tells how far it is and can be interrupted.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cranfield_core::error::Error;
use cranfield_core::evaluate::Monitor;
use pyo3::prelude::*;

/// How often somebody is told how far the work is, and signals are looked at.
const EVERY: Duration = Duration::from_millis(100);

/// Tells of progress and listens for interrupts. What these raise stops the work.
fn tell(
    py: Python<'_>,
    monitor: &Monitor,
    progress: Option<&Bound<'_, PyAny>>,
    stopped: &mut Option<PyErr>,
) {
    if stopped.is_none() {
        let done = (monitor.runs.load(Ordering::Relaxed), monitor.bytes.load(Ordering::Relaxed));
        let told = progress.map_or(Ok(()), |progress| progress.call1(done).map(drop));
        *stopped = told.and_then(|()| py.check_signals()).err();
        monitor.cancelled.store(stopped.is_some(), Ordering::Relaxed);
    }
}

/// Works in this thread, which now and then tells of progress and listens for
/// interrupts: what it has in its cache is not left behind. For work that asks its
/// monitor from here only.
pub fn heeding<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let progress = progress.map(|progress| progress.clone().unbind());
    let told: Arc<Mutex<(Instant, Option<PyErr>)>> = Arc::new(Mutex::new((Instant::now(), None)));
    let shared = Arc::clone(&told);
    let poll = move |monitor: &Monitor| {
        let mut told = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if told.0.elapsed() >= EVERY {
            Python::attach(|py| {
                tell(py, monitor, progress.as_ref().map(|given| given.bind(py)), &mut told.1);
            });
            told.0 = Instant::now();
        }
    };
    let monitor = Arc::new(Monitor { poll: Some(Box::new(poll)), ..Monitor::default() });
    let result = py.detach(|| work(&monitor));
    let stopped = told.lock().unwrap_or_else(PoisonError::into_inner).1.take();
    stopped.map_or(Ok(result), Err)
}

/// Works in another thread, while this one tells of progress and listens for
/// interrupts.
pub fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let monitor = Arc::new(Monitor::default());
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let working = &monitor;
        // Nobody listens any more only if this thread is gone too.
        scope.spawn(move || sender.send(work(working)).is_ok());
        let receiver = Mutex::new(receiver);
        let mut stopped = None;
        loop {
            let outcome = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(EVERY)
            });
            match outcome {
                Ok(result) => return stopped.map_or(Ok(result), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(pyo3::exceptions::PyRuntimeError::new_err(
                        "the evaluation ended without a result",
                    ));
                }
                Err(RecvTimeoutError::Timeout) => tell(py, &monitor, progress, &mut stopped),
            }
        }
    })
}
