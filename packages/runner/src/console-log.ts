import { format } from "node:util";

export type ConsoleSink = (level: "debug" | "info" | "warn" | "error", message: string) => void;

const levels = {
  debug: "debug",
  trace: "debug",
  log: "info",
  info: "info",
  dir: "info",
  table: "info",
  group: "info",
  groupCollapsed: "info",
  warn: "warn",
  error: "error",
} as const;

const ignored = ["clear", "count", "countReset", "groupEnd", "time", "timeEnd", "timeLog"];

/** A console whose lines go to the run's log; Node's own would hand out the process's streams. */
export function createConsole(sink: ConsoleSink): object {
  const members: Record<string, (...args: unknown[]) => void> = {};
  for (const [name, level] of Object.entries(levels)) {
    members[name] = (...args) => sink(level, format(...args));
  }
  for (const name of ignored) members[name] = () => {};
  members["assert"] = (condition, ...args) => {
    if (!condition) sink("error", `Assertion failed: ${format(...args)}`);
  };
  return members;
}
