import { functionLimits } from "@jackfield/contract/function-limits";
import type { AnyLogLevel, LogLevel } from "../svc.ts";
import { boundJson } from "./bound-json.ts";
import type { Run } from "./run.ts";

const MESSAGE_LIMIT = functionLimits.logMessage.value;

const levelNames: Readonly<Record<AnyLogLevel, LogLevel>> = {
  debug: "debug",
  verbose: "debug",
  silly: "debug",
  info: "info",
  http: "info",
  warn: "warn",
  error: "error",
  off: "off",
};
const levelOrder: readonly LogLevel[] = ["debug", "info", "warn", "error", "off"];

/** `log(message, meta?, {level}?)`; never fails the run. */
export async function writeLog(run: Run, args: readonly unknown[]): Promise<void> {
  if (args.length === 0) return;
  const level = args.length > 1 ? readLevel(args.at(-1)) : undefined;
  const [message, meta] = level === undefined ? args : args.slice(0, -1);
  await sendLog(run, { level: level ?? "info", message: toText(message), meta });
}

export function setLogger(run: Run, options: { level: AnyLogLevel }): void {
  const level = toLevel(options.level);
  if (level === undefined) {
    throw new TypeError(
      `setLogger: use one of ${levelOrder.join(", ")}, not ${String(options.level)}.`,
    );
  }
  if (run.loggerLevel !== "off") run.loggerLevel = level;
}

/** What of a run does not match its schema; of records their model. */
export interface Mismatch {
  readonly what: "input" | "output" | "records" | "metadata" | "checkpoint";
  readonly model?: string;
}

/** Sends one log line if the run's level lets it pass. */
export async function sendLog(
  run: Run,
  entry: { level: LogLevel; message: string; meta?: unknown; mismatch?: Mismatch },
): Promise<void> {
  const { level, message, mismatch } = entry;
  if (run.state === "ended") return;
  if (level === "off" || levelOrder.indexOf(level) < levelOrder.indexOf(run.loggerLevel)) return;
  const text = message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT - 1)}…` : message;
  const meta = toMeta(entry.meta);
  try {
    await run.channel.call("log", {
      level,
      message: text,
      ...(meta === undefined ? {} : { meta }),
      ...(mismatch === undefined ? {} : { mismatch }),
    });
  } catch {
    // A log line that cannot be written is no reason to fail the run.
  }
}

function readLevel(options: unknown): LogLevel | undefined {
  if (typeof options !== "object" || options === null || !("level" in options)) return undefined;
  return toLevel(options.level);
}

function toLevel(name: unknown): LogLevel | undefined {
  return Object.entries(levelNames).find(([known]) => known === name)?.[1];
}

function toText(message: unknown): string {
  if (typeof message === "string") return message;
  if (message instanceof Error) return `${message.name}: ${message.message}`;
  if (typeof message === "object" && message !== null) return JSON.stringify(boundJson(message));
  return String(message);
}

function toMeta(meta: unknown): Record<string, unknown> | undefined {
  if (meta === undefined || meta === null) return undefined;
  const copy = boundJson(meta);
  if (typeof copy !== "object" || copy === null) return { value: copy };
  return Object.fromEntries(Object.entries(copy));
}
