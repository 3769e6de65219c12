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
  /** By the first four bytes. */
  readonly #written = new Map<number, Written[]>();
  /** Says of most places at once that no form begins there. */
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
      const start = bytes.readInt32BE(0);
      this.#table[place(start)] = 1;
      const others = this.#written.get(start) ?? [];
      this.#written.set(start, [...others, { secret, form, bytes }]);
    }
  }

  /** The first place of each form of each secret. */
  find(bytes: Buffer): FoundSecret[] {
    const found = new Map<Written, FoundSecret>();
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      start = (start << 8) | (bytes[at] ?? 0);
      if (at < 3 || this.#table[place(start)] === 0) continue;
      const from = at - 3;
      for (const written of this.#written.get(start) ?? []) {
        if (found.has(written)) continue;
        const end = from + written.bytes.length;
        if (
          bytes.compare(written.bytes, 0, written.bytes.length, from, Math.min(end, bytes.length))
        )
          continue;
        const near = bytes.toString("latin1", Math.max(0, from - 80), end + 40);
        found.set(written, { secret: written.secret, form: written.form, near });
      }
    }
    return [...found.values()];
  }
}

function place(start: number): number {
  return Math.imul(start, 0x9e3779b1) >>> (32 - TABLE_BITS);
}
