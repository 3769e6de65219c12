/** Characters of a part by which a text is found again; shorter strings are not looked for. */
export const PART = 8;
/** By which about one of 20,000 parts is found where it is not. */
const BITS_OF_PART = 24;
const HASHES = 8;
const LEAST_BITS = 1024;

/** What is not seen, or only sets characters apart, so that a copy by hand or model is found, too. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;

export function normalize(text: string): string {
  return text.normalize("NFKC").replaceAll(/\s+/g, " ").replaceAll(unseen, "").toLowerCase().trim();
}

/** A Bloom filter over all parts of the texts; undefined where none is long enough. */
export function filterOf(texts: readonly string[]): Buffer | undefined {
  const normalized = texts.map(normalize).filter((text) => text.length >= PART);
  const parts = normalized.reduce((sum, text) => sum + text.length - PART + 1, 0);
  if (parts === 0) return undefined;
  const filter = Buffer.alloc(Math.ceil(Math.max(LEAST_BITS, parts * BITS_OF_PART) / 8));
  const bits = filter.length * 8;
  for (const text of normalized) {
    for (let at = 0; at + PART <= text.length; at += 1) {
      const [one, other] = hash(text, at);
      for (let n = 0; n < HASHES; n += 1) {
        const bit = (one + n * other) % bits;
        filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return filter;
}

/** Where in a normalized text the longest run is whose parts are all in the filter; its length in characters. */
export function findRun(filter: Buffer, text: string): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let at = 0; at + PART <= text.length; at += 1) {
    if (!holdsPart(filter, text, at)) {
      start = at + 1;
      continue;
    }
    const length = at - start + PART;
    if (length > best.length) best = { start, length };
  }
  return best;
}

function holdsPart(filter: Buffer, text: string, at: number): boolean {
  const bits = filter.length * 8;
  const [one, other] = hash(text, at);
  for (let n = 0; n < HASHES; n += 1) {
    const bit = (one + n * other) % bits;
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Two numbers of 32 bits (FNV-1a from two beginnings), from which a filter makes its hashes. */
function hash(text: string, at: number): [number, number] {
  let one = 0x81_1c_9d_c5;
  let other = 0x9e_37_79_b1;
  for (let n = at; n < at + PART; n += 1) {
    const code = text.charCodeAt(n);
    one = Math.imul(one ^ code, 0x01_00_01_93);
    other = Math.imul(other ^ code, 0x01_00_01_93) + 0x7f_4a_7c_15;
  }
  return [(one ^ (one >>> 15)) >>> 0, ((other ^ (other >>> 13)) | 1) >>> 0];
}
