// Limits of what the page may cost.

/** Growth of the script's heap between the first and the last checkpoint. */
export const GROWN_MAX = 1.15;

/** Script time in one frame, in milliseconds: a frame at 60 frames a second. */
export const SCRIPT_MAX_MS = 16;

/** The share of frames within that limit. After a stall of the machine frames take longer. */
export const FRAMES_WITHIN = 0.95;
