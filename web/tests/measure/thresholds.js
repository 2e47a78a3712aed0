// What the page may cost.

/** How much more the script's heap may hold after many watched moves than after some. */
export const GROWN_MAX = 1.15;

/** Script in one frame, in milliseconds: all that 60 frames a second leave. */
export const SCRIPT_MAX_MS = 16;

/** The share of frames that must stay within it. After a stall of the machine there is more to catch up with. */
export const FRAMES_WITHIN = 0.95;
