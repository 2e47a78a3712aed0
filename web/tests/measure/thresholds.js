// Limits of what the page may cost.

/** Growth of the script's heap between the first and the last checkpoint. */
export const GROWN_MAX = 1.15;

/** Script time in one frame, in milliseconds: a frame at 60 frames a second. */
export const SCRIPT_MAX_MS = 16;

/** The share of frames within that limit. After a stall of the machine frames take longer. */
export const FRAMES_WITHIN = 0.95;

/** Bytes that a first visit may transfer. */
export const TRANSFER_MAX = 150_000;

/** The requests before the first view: document, styles, script, texts, icon, manifest. */
export const REQUESTS_MAX = 8;

/** The time to a distant server and back, in milliseconds. */
export const ROUND_TRIP_MS = 300;

/** The time to the first paint that far from the server, in milliseconds. */
export const FIRST_PAINT_MAX_MS = 2_000;

/** The time of script from a press to its mark on the board, in milliseconds. */
export const MARK_MAX_MS = 50;
