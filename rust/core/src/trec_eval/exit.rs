//! How the program ends when it cannot go on.

/// A failure: an exit code and a message.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) code: u8,
    pub(super) message: String,
}

impl Exit {
    pub(super) fn new(code: u8, message: String) -> Self {
        Exit { code, message }
    }

    pub(super) fn followed_by(mut self, more: &str) -> Self {
        self.message += more;
        self
    }
}

impl From<std::io::Error> for Exit {
    fn from(error: std::io::Error) -> Self {
        // The reader of the output has closed it.
        let silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Exit::new(2, if silent { String::new() } else { format!("trec_eval: {error}\n") })
    }
}

/// A text in quotes.
pub(super) fn quoted(text: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(text))
}
