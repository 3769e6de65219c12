import pino from "pino";
import { openLogDestination } from "./log-destination.ts";
import { toLoggable } from "./loggable-error.ts";
import type { LogLevel } from "./readable-lines.ts";
import { toReadableLine } from "./readable-lines.ts";

/** Operator's log: event names with fields, one JSON object a line on standard error; at a terminal, lines to read. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** The line has names of its own, which no field may bear: they would stand in it twice. */
type LogFields = Readonly<Record<string, unknown>> & {
  readonly level?: never;
  readonly time?: never;
  readonly msg?: never;
};

// Headers and fields that hold credentials wherever they turn up; Secret hides the rest by type.
const redacted = ["authorization", "cookie", "set-cookie", "token", "password", "secret", "key"];

const terminal = {
  write(line: string): void {
    process.stderr.write(toReadableLine(line, { colours: process.stderr.hasColors() }));
  },
};

/** Writes to standard error, or to a file; errors in the fields with type, message, code and a short stack. */
export function createLogger(level: LogLevel, file?: string): Logger {
  const paths = redacted.flatMap((name) => [`["${name}"]`, `*["${name}"]`]);
  const sink = pino(
    // pino's own way with `err` would come after ours.
    {
      ...{ level, base: null, serializers: { err: (value: unknown) => value } },
      redact: { paths, censor: "[secret]" },
    },
    file === undefined && process.stderr.isTTY ? terminal : openLogDestination(file),
  );
  const write =
    (method: "debug" | "info" | "warn" | "error") =>
    (event: string, fields: LogFields = {}) =>
      sink[method](toLoggable(fields), event);
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
}
