import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { errorCode } from "../errors.ts";

const SIZE_LIMIT = 10 * 1024 * 1024;
const TAIL_BYTES = 4096;

/** Opens the server's log for appending; one of over 10 MB is kept as `<file>.old`. */
export function openServerLog(file: string): { descriptor: number; startsAt: number } {
  if (sizeOfLog(file) > SIZE_LIMIT) {
    rmSync(`${file}.old`, { force: true });
    renameSync(file, `${file}.old`);
  }
  const descriptor = openSync(file, "a", 0o600);
  return { descriptor, startsAt: fstatSync(descriptor).size };
}

/** The log's size in bytes; grows while a server recovers, which shows that it is at work. */
export function sizeOfLog(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

/** The last lines that were written after `startsAt`. */
export function readLogTail(file: string, startsAt: number): string {
  const size = sizeOfLog(file);
  const length = Math.max(0, Math.min(TAIL_BYTES, size - startsAt));
  if (length === 0) return "";
  const tail = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, tail, 0, length, size - length);
  } finally {
    closeSync(descriptor);
  }
  return tail.toString("utf8").trim().split("\n").slice(-8).join("\n");
}
