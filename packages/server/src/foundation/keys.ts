import { createHash } from "node:crypto";
import type { Secret } from "./secret.ts";

/** One master key; its id is visible in what it wraps, which distinguishes the keys of a ring. */
export interface MasterKey {
  readonly id: string;
  readonly key: Secret<Buffer>;
}

export interface DataKey {
  readonly id: string;
  readonly key: Secret<Buffer>;
}

/** A data key as it was read; it is read again after a while. */
export interface RememberedDataKey {
  readonly key: Promise<DataKey>;
  /** By `performance.now()`. */
  readonly readAtMs: number;
}

/** Keys of a running server: the master ring, current key first, and unwrapped data keys. */
export interface Keys {
  /** Replaced as a whole when the key file changes. */
  ring: readonly MasterKey[];
  readonly dataKeys: Map<string, RememberedDataKey>;
}

/** Id of a master key: the first 8 bytes of SHA-256 over it, which tell nothing about the rest. */
export function masterKeyId(key: Buffer): string {
  return createHash("sha256").update("jackfield master key").update(key).digest("hex").slice(0, 16);
}
