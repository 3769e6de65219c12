import { inspect } from "node:util";
import type { Logger } from "#foundation";

const METHODS = ["debug", "dir", "error", "info", "log", "trace", "warn"] as const;

/**
 * What libraries print, and the warnings of Node, become lines of the operator's log: a reader of JSON gets
 * all of it.
 */
export function logConsole(log: Logger): void {
  for (const method of METHODS) {
    console[method] = (...printed: unknown[]) => {
      const message = printed.map(toText).join(" ");
      log.warn("console.printed", { method, message });
    };
  }
  // Node's own listener prints them.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => log.warn("process.warning", { name, message }));
}

/** Of errors no more than what they say: others carry rows and requests. */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value instanceof Error ? `${value.name}: ${value.message}` : inspect(value, { depth: 0 });
}
