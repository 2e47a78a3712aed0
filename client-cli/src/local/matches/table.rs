//! A report as text.

use adamant_engine::tournament::{
    EngineReport, PairingReport, Report,
    stats::{Estimate, Rating, Sprt, Verdict},
};

use crate::columns::format_table;

/// Returns the report as lines.
pub(super) fn text(report: &Report) -> String {
    let mut parts = vec![engines(report)];
    let is_ladder = report.engines.len() > 2;
    if report.players == 2 && is_ladder {
        parts.push(pairings(&report.pairings));
    } else if let (2, Some(pairing)) = (report.players, report.pairings.first()) {
        parts.push(duel(pairing));
    }
    parts.extend(report.sprt.as_ref().map(sprt));
    parts.join("\n\n")
}

fn engines(report: &Report) -> String {
    let has_ratings = report.engines.iter().any(|engine| engine.rating.is_some());
    let mut sorted: Vec<&EngineReport> = report.engines.iter().collect();
    let elo = |engine: &EngineReport| engine.rating.map_or(share(engine), |rating| rating.elo);
    sorted.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
    let row = |engine: &&EngineReport| {
        let counts = engine.results;
        let faults = engine.faults.iter().map(|(kind, number)| format!("{number} {kind}"));
        [
            engine.name.clone(),
            engine.games.to_string(),
            counts.wins.to_string(),
            counts.draws.to_string(),
            counts.losses.to_string(),
            points(engine.points),
            percent(share(engine)),
            engine.rating.map_or_else(String::new, rating),
            faults.collect::<Vec<_>>().join(", "),
        ]
    };
    let rows: Vec<[String; 9]> = sorted.iter().map(row).collect();
    let elo = if has_ratings { "ELO" } else { "" };
    let heading = ["ENGINE", "GAMES", "WON", "DRAWN", "LOST", "POINTS", "SHARE", elo, "FAULTS"];
    format_table(heading, &rows)
}

fn pairings(all: &[PairingReport]) -> String {
    let row = |pairing: &PairingReport| {
        let counts = pairing.results;
        [
            pairing.engines.join(" - "),
            format!("+{} ={} -{}", counts.wins, counts.draws, counts.losses),
            pairing.estimate.map_or_else(String::new, |found| elo(&found)),
            pairing.estimate.map_or_else(String::new, |found| percent(found.los)),
        ]
    };
    let rows: Vec<[String; 4]> = all.iter().map(row).collect();
    format_table(["PAIRING", "RESULT", "ELO", "LOS"], &rows)
}

/// The result between two.
fn duel(pairing: &PairingReport) -> String {
    let mut lines = Vec::new();
    let names = pairing.engines.join(" - ");
    let counts = pairing.results;
    lines.push(format!("{names}: +{} ={} -{}", counts.wins, counts.draws, counts.losses));
    if let Some(pairs) = pairing.pentanomial {
        let counts = pairs.0.map(|count| count.to_string()).join(" ");
        lines.push(format!("Pairs by points, from 0 to 2: {counts}"));
    }
    if let Some(found) = &pairing.estimate {
        lines.push(format!("Elo difference: {}", elo(found)));
        lines.push(format!("Likelihood of superiority: {}", percent(found.los)));
    }
    lines.join("\n")
}

fn elo(found: &Estimate) -> String {
    let Estimate { elo, elo_low, elo_high, .. } = *found;
    if elo.is_finite() {
        format!("{elo:+.1} (95 %: {elo_low:+.1} to {elo_high:+.1})")
    } else {
        format!("{elo:+} (no interval: one engine has won every point)")
    }
}

fn rating(rating: Rating) -> String {
    let Rating { elo, elo_high, .. } = rating;
    format!("{elo:+.1} ±{:.1}", elo_high - elo)
}

fn sprt(test: &Sprt) -> String {
    let verdict = match test.verdict {
        Verdict::Continue => "undecided",
        Verdict::AcceptH0 => "failed, H0 is accepted",
        Verdict::AcceptH1 => "passed, H1 is accepted",
    };
    let Sprt { bounds, llr, lower, upper, .. } = test;
    format!(
        "SPRT of Elo {} against {}: LLR {llr:.2} ({lower:.2} to {upper:.2}), {verdict}",
        bounds.elo0, bounds.elo1
    )
}

fn share(engine: &EngineReport) -> f64 {
    if engine.games == 0 { 0.0 } else { engine.points / f64::from(engine.games) }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Points with as many digits as a draw of two or three needs.
fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
