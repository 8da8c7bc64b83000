//! Long work of the core, during which the calling thread reports progress and listens for
//! interrupts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cranfield_core::error::Error;
use cranfield_core::evaluate::Monitor;
use cranfield_core::interrupt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::caught;

/// How often progress is reported and signals are checked.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// Reports progress and checks signals, and raises what one of them raises.
fn report(py: Python<'_>, monitor: &Monitor, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let done = (monitor.runs.load(Ordering::Relaxed), monitor.bytes.load(Ordering::Relaxed));
    progress.map_or(Ok(()), |progress| progress.call1(done).map(drop))?;
    py.check_signals()
}

/// Reports progress and checks signals if the last time was some time ago, for work in pieces.
pub fn looking<'a>(
    py: Python<'a>,
    progress: Option<&'a Bound<'a, PyAny>>,
) -> impl FnMut() -> PyResult<()> + 'a {
    let monitor = Monitor::default();
    let mut last = None;
    move || {
        if last.get_or_insert_with(Instant::now).elapsed() < WATCH_INTERVAL {
            return Ok(());
        }
        last = Some(Instant::now());
        report(py, &monitor, progress)
    }
}

fn check_signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Works in this thread, with the interpreter released, and stops now and then to check signals.
/// What one of them raises stops the work and is raised.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    polling(py, work, check_signals)
}

/// Works in this thread, where the judgments are in the cache, and stops now and then to report
/// progress and check signals.
pub fn in_this_thread<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let monitor = Arc::new(Monitor::default());
    let progress = progress.map(|progress| progress.clone().unbind());
    let shared = Arc::clone(&monitor);
    let look =
        move |py: Python<'_>| report(py, &shared, progress.as_ref().map(|given| given.bind(py)));
    polling(py, || work(&monitor), look)
}

/// Works in this thread, which calls `look` every now and then. What that raises stops the work
/// and is raised when it ends.
fn polling<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
    look: impl Fn(Python<'_>) -> PyResult<()> + Send + Sync + 'static,
) -> PyResult<T> {
    // When it last looked, and what was raised then.
    let state: Arc<Mutex<(Instant, Option<PyErr>)>> = Arc::new(Mutex::new((Instant::now(), None)));
    let shared = Arc::clone(&state);
    // This thread may itself work for a call that another thread watches.
    let outer = interrupt::stop();
    let stop = move || {
        if outer.as_ref().is_some_and(|outer| outer()) {
            return true;
        }
        // Other threads of the work need not wait for this one to look.
        let Ok(mut state) = shared.try_lock() else { return false };
        if state.1.is_none() && state.0.elapsed() >= WATCH_INTERVAL {
            state.1 = Python::attach(&look).err();
            state.0 = Instant::now();
        }
        state.1.is_some()
    };
    let result = py.detach(|| interrupt::with(Arc::new(stop), || caught(work)));
    let raised = state.lock().unwrap_or_else(PoisonError::into_inner).1.take();
    raised.map_or(result, Err)
}

#[doc = stub!("Stop")]
#[pyclass(frozen, module = "cranfield._core")]
#[derive(Default)]
pub struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop::default()
    }

    #[doc = stub!("Stop.set")]
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[doc = stub!("Stop.during")]
    #[pyo3(signature = (work, /, *arguments))]
    fn during<'py>(
        &self,
        work: &Bound<'py, PyAny>,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = Arc::clone(&self.0);
        interrupt::with(Arc::new(move || asked.load(Ordering::Relaxed)), || work.call1(arguments))
    }
}

/// Works in another thread, while this one reports progress and checks signals.
pub fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<Monitor>) -> Result<T, Error> + Send,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<T, Error>> {
    let monitor = Arc::new(Monitor::default());
    in_another_thread(py, || work(&monitor), || report(py, &monitor, progress))
}

/// Works in another thread, while this one calls `look` every now and then. What that raises
/// stops the work and is raised when it ends.
pub fn in_another_thread<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
    look: impl Fn() -> PyResult<()>,
) -> PyResult<T> {
    let stopped = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stopped);
    let stop = move || asked.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        // Sending fails only if this thread is gone too.
        let work = || interrupt::with(Arc::new(stop), || caught(work));
        scope.spawn(move || sender.send(work()).is_ok());
        let receiver = Mutex::new(receiver);
        let mut raised = None;
        loop {
            let outcome = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(WATCH_INTERVAL)
            });
            match outcome {
                Ok(result) => return raised.map_or(result, Err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the work ended without a result"));
                }
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    raised = look().err();
                    stopped.store(raised.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}
