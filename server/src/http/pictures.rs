//! Pictures of a game's board by address, for other pages, forums and previews of links.

use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_rules::Position;
use axum::{
    extract::{
        Extension, Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderMap, header},
    response::Response,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::{
    answers::{CachePolicy, denial_response, invalid_address},
    app_state::AppState,
    board_picture::{Drawing, Material, Palette, Theme, draw, png, svg},
    routes::PICTURE_POLICY,
    static_content::Content,
};
use crate::{
    address::{ClientAddress, ClientNetwork},
    cache::Cache,
    error::Denial,
    fair_queue::{FairPermit, FairQueue, Urgency},
    limits::{
        CORES_PER_PAINTING, PAINTING_RETRY, PAINTING_WAIT_MAX, PAINTINGS_WAITING_MAX,
        PICTURE_CACHE_BYTES_MAX, PICTURE_SIDE_DEFAULT, PICTURE_SIDE_MAX, PICTURE_SIDE_MIN,
        PIXELS_PER_READING,
    },
    queries::positions::board_at_ply,
    runtime::time::milliseconds,
    store::StoreError,
};

/// Which picture.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct PictureQuery {
    /// The ply; the last one if missing.
    ply: Option<u32>,
    /// For which pages.
    #[serde(default)]
    theme: Theme,
    /// What the board is made of.
    #[serde(default)]
    board: Material,
    /// The side in pixels.
    #[schemars(range(min = PICTURE_SIDE_MIN, max = PICTURE_SIDE_MAX))]
    size: Option<u32>,
}

type GamePath = Result<Path<GameId>, PathRejection>;
type PictureParameters = Result<Query<PictureQuery>, QueryRejection>;

/// A format of pictures.
struct Format {
    content_type: &'static str,
    /// Writes a drawing with a side of this many pixels.
    write: fn(&Drawing, u32) -> Content,
    /// What it costs beyond one reading.
    cost: fn(u32) -> u64,
}

const SVG: Format = Format {
    content_type: "image/svg+xml",
    write: |drawing, side| Content::quick(svg(drawing, side)).compressed(),
    cost: |_| 0,
};

const PNG: Format = Format {
    content_type: "image/png",
    write: |drawing, side| Content::new(png(drawing, side)).uncompressed(),
    cost: |side| u64::from(side * side / PIXELS_PER_READING),
};

/// The board as SVG.
pub(super) async fn board_svg(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    request: HeaderMap,
    path: GamePath,
    query: PictureParameters,
) -> Response {
    picture(&app, from, &request, (path, query), &SVG).await
}

/// The board as PNG.
pub(super) async fn board_png(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    request: HeaderMap,
    path: GamePath,
    query: PictureParameters,
) -> Response {
    picture(&app, from, &request, (path, query), &PNG).await
}

async fn picture(
    app: &AppState,
    from: ClientAddress,
    request: &HeaderMap,
    asked: (GamePath, PictureParameters),
    format: &'static Format,
) -> Response {
    let begun = Instant::now();
    let painted = painted(app, from, asked, format).await;
    app.services.metrics.observe_request("pictures", begun.elapsed());
    match painted {
        Ok((content, policy)) => {
            let mut response = content.response(request, format.content_type);
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, policy.header());
            headers.insert(header::CONTENT_SECURITY_POLICY, PICTURE_POLICY);
            response
        }
        Err(denial) => denial_response(denial),
    }
}

async fn painted(
    app: &AppState,
    from: ClientAddress,
    asked: (GamePath, PictureParameters),
    format: &'static Format,
) -> Result<(Arc<Content>, CachePolicy), Denial> {
    let (Path(game), Query(query)) = match asked {
        (Ok(path), Ok(query)) => (path, query),
        (Err(error), _) => return Err(invalid_address(&error)),
        (_, Err(error)) => return Err(invalid_address(&error)),
    };
    let PictureQuery { ply, theme, board: material, size } = query;
    let side = size.unwrap_or(PICTURE_SIDE_DEFAULT).clamp(PICTURE_SIDE_MIN, PICTURE_SIDE_MAX);
    let board = board_at_ply(&app.services.rooms, &game, from, ply).await?;
    // A move of a live game can be taken back.
    let policy = if board.over { CachePolicy::Long } else { CachePolicy::Short };
    let key = PictureKey {
        game,
        ply: board.ply,
        boards: (board.position.hash(), board.before.as_ref().map(Position::hash)),
        look: (theme, material, side),
        content_type: format.content_type,
    };
    if let Some(kept) = app.painter.kept.get(&key) {
        return Ok((kept, policy));
    }
    app.rate_limits.charge_read(from, (format.cost)(side), app.now_ms());
    let place = app.painter.place(from).await?;
    let painted = app.services.work.run(move || {
        // Held until the work is done, even if the client hangs up.
        let _place = place;
        let title = format!(
            "{}: {}, ply {}",
            board.position.kind().name(),
            board.users.join(" - "),
            board.ply
        );
        let palette = Palette::new(theme, material);
        (format.write)(&draw(title, &board.position, board.before.as_ref(), &palette), side)
    });
    let painted = Arc::new(painted.await.map_err(|_| StoreError::Stopped)?);
    app.painter.kept.insert(key, Arc::clone(&painted), painted.bytes());
    Ok((painted, policy))
}

/// Paints few pictures at a time, and keeps the last ones.
#[derive(Debug)]
pub(super) struct Painter {
    painting: FairQueue<ClientNetwork>,
    pub(super) kept: Cache<PictureKey, Arc<Content>>,
}

/// What makes a picture: all that is drawn, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureKey {
    pub(super) game: GameId,
    pub(super) ply: u32,
    /// The positions by their hashes: a move of a live game can be taken back.
    pub(super) boards: (u64, Option<u64>),
    pub(super) look: (Theme, Material, u32),
    pub(super) content_type: &'static str,
}

impl Painter {
    /// For a machine with so many cores.
    pub(super) fn new(cores: usize) -> Self {
        let permits = (cores / CORES_PER_PAINTING).max(1);
        Self {
            painting: FairQueue::new(permits, PAINTINGS_WAITING_MAX),
            kept: Cache::new(PICTURE_CACHE_BYTES_MAX),
        }
    }

    /// Waits for a place to paint.
    pub(super) async fn place(
        &self,
        from: ClientAddress,
    ) -> Result<FairPermit<ClientNetwork>, Denial> {
        let place = self.painting.acquire(from.network(), Urgency::Ordinary);
        match timeout(PAINTING_WAIT_MAX, place).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Denial::Busy {
                what: "many pictures are being painted".to_owned(),
                retry_after_ms: milliseconds(PAINTING_RETRY),
            }),
        }
    }
}
