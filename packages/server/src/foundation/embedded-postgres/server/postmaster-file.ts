import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors.ts";
import { type ServerAddress, SOCKET_PORT } from "./server-address.ts";

/** What a running server writes of itself into `postmaster.pid`. */
export interface PostmasterFile {
  processId: number;
  /** Seconds since 1970. */
  startedAt: number;
  /** `undefined` until the server listens. */
  address: ServerAddress | undefined;
  /** `starting`, `ready` or `stopping`. */
  status: string;
}

/** Reads `postmaster.pid`; `undefined` when there is none or its first line is not yet written. */
export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  const text = readIfPresent(join(cluster, "postmaster.pid"));
  const lines = (text ?? "").split("\n").map((line) => line.trim());
  const processId = Number(lines[0]);
  if (!Number.isSafeInteger(processId) || processId <= 1) return undefined;
  return {
    processId,
    startedAt: Number(lines[2]),
    address: toAddress(lines[3], lines[4], lines[5]),
    status: lines[7] ?? "",
  };
}

/** Removes the file of a server that is dead, which would stop every later start. */
export function removePostmasterFile(cluster: string): void {
  rmSync(join(cluster, "postmaster.pid"), { force: true });
}

/** The path of the program that last served this cluster. */
export function readLastProgram(cluster: string): string | undefined {
  return readIfPresent(join(cluster, "postmaster.opts"))?.split(' "', 1)[0];
}

function toAddress(port = "", folder = "", host = ""): ServerAddress | undefined {
  if (folder !== "" && Number(port) === SOCKET_PORT) return { kind: "socket", folder };
  if (host !== "" && Number(port) > 0) return { kind: "tcp", port: Number(port) };
  return undefined;
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
