//! The lines of the output.

use std::io::{self, Write};

/// Where lines go, and whether their names get the Z of z-scores.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    standardised: bool,
    digits: usize,
}

impl<'a> Printer<'a> {
    /// A printer of values, or of z-scores, with this many decimals.
    pub fn new(out: &'a mut dyn Write, standardised: bool, digits: usize) -> Self {
        Printer { out, standardised, digits }
    }

    /// A line with a number.
    pub fn real(&mut self, name: &str, topic: &[u8], value: f64) -> io::Result<()> {
        let shown = if value.is_nan() {
            let sign = if value.is_sign_negative() { "-" } else { "" };
            format!("{:>6}", format!("{sign}nan"))
        } else {
            format!("{value:6.0$}", self.digits)
        };
        self.line(name, topic, shown.as_bytes())
    }

    /// A line with an integer, of z-scores with a number.
    pub fn integer(&mut self, name: &str, topic: &[u8], value: f64) -> io::Result<()> {
        if self.standardised {
            return self.real(name, topic, value);
        }
        self.line(name, topic, (value as i64).to_string().as_bytes())
    }

    /// A line with a text, which is never standardised.
    pub fn text(&mut self, name: &str, topic: &[u8], text: &[u8]) -> io::Result<()> {
        write!(self.out, "{name:<22}\t")?;
        self.out.write_all(topic)?;
        self.out.write_all(b"\t")?;
        self.out.write_all(text)?;
        self.out.write_all(b"\n")
    }

    fn line(&mut self, name: &str, topic: &[u8], value: &[u8]) -> io::Result<()> {
        if self.standardised {
            self.out.write_all(b"Z")?;
        }
        self.text(name, topic, value)
    }
}
