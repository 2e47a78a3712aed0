//! Parser of the document's examples: blocks fenced as `frames`, and hidden set-up in comments that
//! begin with `frames`.

use super::matcher::Pattern;

/// A line of an example, with its number in the document.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) kind: LineKind,
}

/// The meaning of a line.
#[derive(Debug, Clone)]
pub(super) enum LineKind {
    /// A client sends a frame, or something that is not JSON.
    Send { client: Option<String>, text: String },
    /// A client receives a frame.
    Receive { client: Option<String>, frame: Pattern },
    /// The server closes a client's connection.
    Closed { client: Option<String>, code: u16, reason: String },
    /// A hidden step of the set-up.
    Setup { words: Vec<String>, rest: String },
}

/// A block of lines.
#[derive(Debug)]
pub(super) struct Block {
    /// The line number of its first line.
    pub(super) number: usize,
    /// Whether readers see it.
    pub(super) visible: bool,
    /// Whether it is played on a server. A block that is only shown is one that no client can
    /// provoke.
    pub(super) played: bool,
    pub(super) lines: Vec<Line>,
}

/// Returns every example of a document, in order.
pub(super) fn read(document: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let (visible, played, end) = match line.trim_end() {
            "```frames" => (true, true, "```"),
            "```frames shown" => (true, false, "```"),
            "<!-- frames" => (false, true, "-->"),
            _ => continue,
        };
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (index, line) in lines.by_ref().take_while(|(_, line)| line.trim_end() != end) {
            match texts.last_mut() {
                // A long frame continues on the next line.
                Some((_, last)) if line.starts_with(' ') => last.push_str(line.trim_start()),
                _ if line.trim().is_empty() => {}
                _ => texts.push((index + 1, line.trim_end().to_owned())),
            }
        }
        let lines = texts
            .into_iter()
            .map(|(number, text)| {
                let kind = kind(&text, visible).map_err(|why| format!("line {number}: {why}"))?;
                Ok(Line { number, text, kind })
            })
            .collect::<Result<_, String>>()?;
        blocks.push(Block { number: index + 1, visible, played, lines });
    }
    Ok(blocks)
}

fn kind(text: &str, visible: bool) -> Result<LineKind, String> {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let client = |mark: char| {
        let name = head.strip_suffix(mark)?;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric());
        is_name.then(|| (!name.is_empty()).then(|| name.to_owned()))
    };
    if let Some(client) = client('>') {
        Ok(LineKind::Send { client, text: rest.to_owned() })
    } else if let Some(client) = client('<') {
        if let Some(close) = rest.strip_prefix("close ") {
            let (code, reason) = close.split_once(' ').unwrap_or((close, ""));
            let code = code.parse().map_err(|_| format!("{code} is no close code"))?;
            return Ok(LineKind::Closed {
                client,
                code,
                reason: reason.trim_matches('"').to_owned(),
            });
        }
        Ok(LineKind::Receive { client, frame: Pattern::read(rest)? })
    } else if visible {
        Err(format!("{text:?} is neither sent (>) nor heard (<)"))
    } else {
        let words = text.split(' ').map(str::to_owned).collect();
        let rest = text.find('{').map_or("", |start| &text[start..]).to_owned();
        Ok(LineKind::Setup { words, rest })
    }
}
