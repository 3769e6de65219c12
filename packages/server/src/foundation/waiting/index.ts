// Owns how work waits: back-offs, time-outs, wake-ups, and turns of the event loop.
export { backoffMs } from "./backoff.ts";
export { afterAbout } from "./coarse-timers.ts";
export { Doorbell } from "./doorbell.ts";
export { inTime, whileWanted, within } from "./within.ts";
export { inSlices, Pace } from "./yield-to-loop.ts";
