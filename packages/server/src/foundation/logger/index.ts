// Owns the operator's log: its lines, and what happens when nobody reads them.
export { createLogger, type Logger } from "./logger.ts";
export type { LogLevel } from "./readable-lines.ts";
