import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { listen } from "./harvest-secrets.ts";

export interface OutputKeeper {
  /** What a process printed, bit by bit; `name` says which. */
  printed(name: string, text: Uint8Array | string): void;
  /** A file that a server left. */
  left(name: string, file: string): void;
}

/** Keeps what processes started by this one print, and the files of platforms among them when they end. */
export function keepOutputs(keeper: OutputKeeper): void {
  const dataDirs = new WeakMap<ChildProcess, string>();
  subscribe("tracing:child_process.spawn:start", (message) => {
    const { process: child, options } = message as {
      process: ChildProcess;
      options: { envPairs?: readonly string[] };
    };
    const folder = options.envPairs?.find((pair) => pair.startsWith("SVC_DATA_DIR="));
    if (folder !== undefined) dataDirs.set(child, folder.slice("SVC_DATA_DIR=".length));
  });
  subscribe("tracing:child_process.spawn:end", (message) => {
    const { process: child } = message as { process: ChildProcess };
    // Its number and streams are there a moment later, and nothing comes out of them before.
    queueMicrotask(() => {
      const name = `${nameOf(child)} ${child.pid}`;
      for (const stream of [child.stdout, child.stderr]) {
        if (stream) tee(stream, (text) => keeper.printed(name, text));
      }
      const folder = dataDirs.get(child);
      if (folder !== undefined) child.once("exit", () => keepWhatIsThere(folder, name, keeper));
    });
  });
}

function tee(stream: Readable, hear: (text: Uint8Array | string) => void): void {
  listen(stream, "push", (chunk) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) hear(chunk);
  });
}

function nameOf({ spawnfile, spawnargs }: ChildProcess): string {
  const words = spawnargs.slice(1).filter((word) => !word.startsWith("-") && word.length < 200);
  return [spawnfile, ...words.slice(0, 3)].map((word) => basename(word)).join(" ");
}

// What a server keeps readable in its folder by design, and what npm brought.
const expected = /^(encryption\.key|postgres-password|cache|postgres-native-.*)$/;

function keepWhatIsThere(folder: string, name: string, keeper: OutputKeeper): void {
  try {
    keepFiles(folder, name, keeper);
  } catch (error) {
    // Another process of the same folder continues in it, or its test has ended and removes it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Logs, spool and all else; of the embedded database the tables alone, which have numbers from 16384 on. */
function keepFiles(folder: string, name: string, keeper: OutputKeeper): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (expected.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isFile()) keeper.left(`${name} ${entry.name}`, path);
    else if (entry.isDirectory()) keepFolder(path, `${name} ${entry.name}`, keeper);
  }
}

function keepFolder(folder: string, name: string, keeper: OutputKeeper): void {
  const isDatabase = basename(folder) === "postgres";
  for (const path of listFiles(folder)) {
    const isTable = Number.parseInt(basename(path), 10) >= 16_384 && path.includes("/base/");
    if (!isDatabase || isTable) keeper.left(`${name} ${basename(path)}`, path);
  }
}

/** Without what links lead to: a project of functions links the packages of this checkout. */
function* listFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory()) yield* listFiles(path);
  }
}
