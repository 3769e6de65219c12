import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Writes a file so that a reader, also after a crash, finds all of it or none of it. */
export function writeWholeFile(file: string, text: string, mode: number): void {
  const unfinished = `${file}.new`;
  const descriptor = openSync(unfinished, "w", mode);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
}
