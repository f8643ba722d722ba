//! `curl`: fetches and sends by HTTP, over the network that the host gives.
//!
//! Answers, messages and exit statuses are those of curl 7.88. Each redirection is an exchange of its own, judged like the first, and credentials
//! stay with the host they were meant for. Bodies are written as they come.
//!
//! Without a network no name is known (status 6) and no address answers (7), as on a machine without one.

mod cookies;
mod form;
mod options;
mod output;
mod request;
mod transfer;
mod write_out;

use cookies::Jar;
use options::Options;

use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "curl",
    run: |proc| Box::pin(run(proc)),
};

/// Why a transfer failed: `curl: (CODE) MESSAGE`.
#[derive(Debug, Clone, PartialEq)]
struct Trouble {
    code: i32,
    message: String,
}

impl Trouble {
    fn new(code: i32, message: impl Into<String>) -> Trouble {
        Trouble {
            code,
            message: message.into(),
        }
    }

    /// Says it, unless that is not wanted.
    async fn say(&self, proc: &mut Proc, options: &Options) -> Result<(), Stop> {
        if options.silent && !options.show_error {
            return Ok(());
        }
        let message = format!("curl: ({}) {}\n", self.code, self.message);
        proc.write_error(message.as_bytes()).await
    }
}

/// Says what does not keep a transfer from going on.
async fn warn(proc: &mut Proc, options: &Options, warning: &str) -> Result<(), Stop> {
    if options.silent {
        return Ok(());
    }
    proc.write_error(format!("Warning: {warning}\n").as_bytes()).await
}

/// Why nothing is transferred at all.
#[derive(Debug, Clone, PartialEq)]
enum Refusal {
    /// The command line will not do: status, and what is said whatever `-s` says.
    Usage(i32, String),
    /// It fails as a transfer does.
    Trouble(Trouble),
}

const TRY: &str = "curl: try 'curl --help' or 'curl --manual' for more information\n";

const VERSION: &str = "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1\nRelease-Date: 2023-02-20\nProtocols: http https\nFeatures: HTTPS-proxy IPv6 SSL\n";

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let words = proc.arguments().to_vec();
    let options = match options::parse(&words) {
        Ok(options) => options,
        Err(error) => {
            let message = format!("curl: option {}: {}\n{TRY}", error.option, error.sentence);
            proc.write_error(message.as_bytes()).await?;
            return Ok(2);
        }
    };
    if options.help {
        proc.write(options::help().as_bytes()).await?;
        return Ok(0);
    }
    if options.version {
        proc.write(VERSION.as_bytes()).await?;
        return Ok(0);
    }
    if options.urls.is_empty() {
        let missing = if words.is_empty() {
            ""
        } else {
            "curl: no URL specified!\n"
        };
        proc.write_error(format!("{missing}{TRY}").as_bytes()).await?;
        return Ok(2);
    }
    transfers(proc, &options).await
}

async fn transfers(proc: &mut Proc, options: &Options) -> Result<i32, Stop> {
    let content = match request::content(proc, options).await? {
        Ok(content) => content,
        Err(Refusal::Usage(status, message)) => {
            proc.write_error(format!("curl: {message}\n{TRY}").as_bytes())
                .await?;
            return Ok(status);
        }
        Err(Refusal::Trouble(trouble)) => {
            trouble.say(proc, options).await?;
            return Ok(trouble.code);
        }
    };
    let mut jar = Jar::started(options.cookie_jar.is_some());
    for path in options.cookies.iter().filter(|text| !text.contains(&b'=')) {
        // A file that is not there only turns cookies on.
        let text = request::read(proc, path).await?.unwrap_or_default();
        jar.load(&text);
    }
    let mut status = 0;
    for index in 0..options.urls.len() {
        status = transfer::run(proc, options, &content, &mut jar, index).await?;
    }
    if let Some(path) = &options.cookie_jar {
        let text = jar.save(proc.kernel.now().seconds);
        output::save(proc, path, &text).await?;
    }
    Ok(status)
}
