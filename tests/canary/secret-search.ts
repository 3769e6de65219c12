import { formsOf } from "./forms-of.ts";

export interface FoundSecret {
  readonly secret: string;
  readonly form: string;
  /** What stands around it, as latin1. */
  readonly near: string;
}

interface Written {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

const TABLE_BITS = 22;

/** Finds any of thousands of secrets, in any form, in one pass over the bytes. */
export class SecretSearch {
  readonly #names = new Set<string>();
  /**
   * By a hash of the last eight bytes: keys and tokens of one kind all begin alike, and four hexadecimal digits stand
   * everywhere in a dump of binary columns.
   */
  readonly #written = new Map<number, Written[]>();
  /** Says of most places at once that no form ends there. */
  readonly #table = new Uint8Array(2 ** TABLE_BITS);

  get size(): number {
    return this.#names.size;
  }

  add(secret: string): void {
    if (this.#names.has(secret)) return;
    this.#names.add(secret);
    const seen = new Set<string>();
    for (const [form, text] of formsOf(secret)) {
      if (seen.has(text)) continue;
      seen.add(text);
      const bytes = Buffer.from(text);
      const last = hash(bytes.readInt32BE(bytes.length - 8), bytes.readInt32BE(bytes.length - 4));
      this.#table[last >>> (32 - TABLE_BITS)] = 1;
      const others = this.#written.get(last) ?? [];
      this.#written.set(last, [...others, { secret, form, bytes }]);
    }
  }

  /** The first place of each form of each secret. */
  find(bytes: Buffer): FoundSecret[] {
    const found = new Map<Written, FoundSecret>();
    let [high, low] = [0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (bytes[at] ?? 0);
      const last = hash(high, low);
      if (this.#table[last >>> (32 - TABLE_BITS)] === 0) continue;
      const end = at + 1;
      for (const written of this.#written.get(last) ?? []) {
        const from = end - written.bytes.length;
        if (from < 0 || found.has(written)) continue;
        if (bytes.compare(written.bytes, 0, written.bytes.length, from, end) !== 0) continue;
        const near = bytes.toString("latin1", Math.max(0, from - 80), end + 40);
        found.set(written, { secret: written.secret, form: written.form, near });
      }
    }
    return [...found.values()];
  }
}

function hash(high: number, low: number): number {
  return (Math.imul(high, 0x85ebca6b) ^ Math.imul(low, 0x9e3779b1)) >>> 0;
}
