import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../errors.ts";
import { readStartTime } from "./linux-process.ts";
import type { ServerAddress } from "./server-address.ts";

/** The main process of a database server. */
export interface ServerProcess {
  readonly processId: number;
  isAlive(): boolean;
}

/** A server that accepts connections. */
export interface RunningServer extends ServerProcess {
  readonly address: ServerAddress;
}

/** A server that this process started. */
export function ownServer(child: ChildProcess, processId: number): ServerProcess {
  return { processId, isAlive: () => child.exitCode === null && child.signalCode === null };
}

/** A server that an earlier process started. */
export function foreignServer(processId: number): ServerProcess {
  if (process.platform !== "linux") {
    return { processId, isAlive: () => sendSignal(processId, 0) };
  }
  const startTime = readStartTime(processId);
  return {
    processId,
    isAlive: () => startTime !== undefined && readStartTime(processId) === startTime,
  };
}

/** Stops a server by a fast shutdown; one that does not end is stopped the hard way. */
export async function stopServer(server: ServerProcess): Promise<void> {
  // SIGINT: end sessions, write everything, exit. SIGQUIT: exit now, recover at the next start.
  const steps = [
    { signal: "SIGINT", waitMs: 30_000 },
    { signal: "SIGQUIT", waitMs: 5_000 },
    { signal: "SIGKILL", waitMs: 5_000 },
  ] as const;
  for (const { signal, waitMs } of steps) {
    signalServer(server, signal);
    if (await waitUntil(() => !server.isAlive(), waitMs)) return;
  }
}

/** Sends a signal to a server unless it has ended, when its id may be another process's. */
export function signalServer(server: ServerProcess, signal: NodeJS.Signals): void {
  if (server.isAlive()) sendSignal(server.processId, signal);
}

/** Sends a signal; false when there is no such process. */
export function sendSignal(processId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(processId, signal);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
    if (errorCode(error) === "EPERM" && signal === 0) return true;
    throw error;
  }
}

/** Waits until `isDone` holds; false when it does not within `timeoutMs`. */
export async function waitUntil(isDone: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!isDone()) {
    if (performance.now() > deadline) return false;
    await delay(5);
  }
  return true;
}
