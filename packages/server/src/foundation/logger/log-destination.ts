import { constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import pino from "pino";

/** What waits for a reader, in bytes; what comes then is lost. */
const MOST_WAITING = 1024 * 1024;

// Process-wide: standard error is the process's.
let standardError: pino.DestinationStream | undefined;

/**
 * Where log lines go: a file, or standard error. A reader that is gone, one that does not read and a full disk lose
 * lines; none of them ends the server or holds it up.
 */
export function openLogDestination(file?: string): pino.DestinationStream {
  if (file !== undefined) return openFile(file);
  standardError ??= openPipe() ?? openSocket() ?? openFile(2);
  return standardError;
}

function openFile(dest: string | 2): pino.DestinationStream {
  const destination = pino.destination({ dest, maxLength: MOST_WAITING });
  // There is nowhere to say it.
  destination.on("error", () => undefined);
  return destination;
}

/**
 * As it was given, a write to a pipe waits for its reader, and the whole process with it. Others may write to the same
 * pipe, so that it is not changed but opened once more.
 */
function openPipe(): pino.DestinationStream | undefined {
  try {
    if (process.platform !== "linux" || !fstatSync(2).isFIFO()) return undefined;
    const fd = openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK);
    return toDestination(new Socket({ fd, readable: false, writable: true }));
  } catch {
    return undefined;
  }
}

/** Of systemd's journal, and of a parent that is Node. */
function openSocket(): pino.DestinationStream | undefined {
  const { stderr } = process;
  const handle: unknown = Reflect.get(stderr, "_handle");
  const isHandle = typeof handle === "object" && handle !== null && "setBlocking" in handle;
  if (!isHandle || typeof handle.setBlocking !== "function") return undefined;
  // Node has set it to wait (nodejs.org/api/process.html, "A note on process I/O").
  handle.setBlocking(false);
  return toDestination(stderr);
}

function toDestination(stream: Writable): pino.DestinationStream {
  stream.on("error", () => undefined);
  return {
    write(line) {
      if (stream.writableLength <= MOST_WAITING) stream.write(line);
    },
  };
}
