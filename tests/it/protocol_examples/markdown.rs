//! The document's examples: blocks fenced as `frames`, and what a reader need not see, in comments
//! that begin with `frames`, such as who is there when the example begins.

use super::matcher::Shown;

/// A line of an example, its number in the document with it.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) says: Says,
}

/// What a line says.
#[derive(Debug, Clone)]
pub(super) enum Says {
    /// A client sends a frame, or something that is no JSON.
    Sends { client: Option<String>, text: String },
    /// A client is sent a frame.
    Hears { client: Option<String>, frame: Shown },
    /// A client's connection is closed by the server.
    Closed { client: Option<String>, code: u16, reason: String },
    /// Something that is arranged and not shown.
    Arranged { words: Vec<String>, rest: String },
}

/// Lines that belong together.
#[derive(Debug)]
pub(super) struct Block {
    /// Where it begins.
    pub(super) number: usize,
    /// Whether readers see it.
    pub(super) visible: bool,
    /// Whether it is played on a server. One that is only shown is of what nobody can provoke.
    pub(super) played: bool,
    pub(super) lines: Vec<Line>,
}

/// Every example of a document, in order.
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
                // A long frame goes on in the next line.
                Some((_, last)) if line.starts_with(' ') => last.push_str(line.trim_start()),
                _ if line.trim().is_empty() => {}
                _ => texts.push((index + 1, line.trim_end().to_owned())),
            }
        }
        let lines = texts
            .into_iter()
            .map(|(number, text)| {
                let says = says(&text, visible).map_err(|why| format!("line {number}: {why}"))?;
                Ok(Line { number, text, says })
            })
            .collect::<Result<_, String>>()?;
        blocks.push(Block { number: index + 1, visible, played, lines });
    }
    Ok(blocks)
}

fn says(text: &str, visible: bool) -> Result<Says, String> {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let client = |mark: char| {
        let name = head.strip_suffix(mark)?;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric());
        is_name.then(|| (!name.is_empty()).then(|| name.to_owned()))
    };
    if let Some(client) = client('>') {
        Ok(Says::Sends { client, text: rest.to_owned() })
    } else if let Some(client) = client('<') {
        if let Some(close) = rest.strip_prefix("close ") {
            let (code, reason) = close.split_once(' ').unwrap_or((close, ""));
            let code = code.parse().map_err(|_| format!("{code} is no close code"))?;
            return Ok(Says::Closed { client, code, reason: reason.trim_matches('"').to_owned() });
        }
        Ok(Says::Hears { client, frame: Shown::read(rest)? })
    } else if visible {
        Err(format!("{text:?} is neither sent (>) nor heard (<)"))
    } else {
        let words = text.split(' ').map(str::to_owned).collect();
        let rest = text.find('{').map_or("", |start| &text[start..]).to_owned();
        Ok(Says::Arranged { words, rest })
    }
}
