import type { Bundle } from "./store.ts";

const BYTES_PER_CHARACTER = 2;

/** Keeps the bundles used last, up to a number of bytes. */
export class BundleCache {
  readonly #maxBytes: number;
  readonly #bundles = new Map<string, Bundle>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Bundle | undefined {
    const bundle = this.#bundles.get(key);
    if (bundle === undefined) return undefined;
    // A map keeps the order of insertion: the one used longest ago comes first.
    this.#bundles.delete(key);
    this.#bundles.set(key, bundle);
    return bundle;
  }

  set(key: string, bundle: Bundle): void {
    this.#delete(key);
    const size = sizeOf(bundle);
    if (size > this.#maxBytes) return;
    for (const oldest of this.#bundles.keys()) {
      if (this.#bytes + size <= this.#maxBytes) break;
      this.#delete(oldest);
    }
    this.#bundles.set(key, bundle);
    this.#bytes += size;
  }

  #delete(key: string): void {
    const bundle = this.#bundles.get(key);
    if (bundle === undefined) return;
    this.#bundles.delete(key);
    this.#bytes -= sizeOf(bundle);
  }
}

function sizeOf({ code, source, sourceMap }: Bundle): number {
  return (code.length + source.length + (sourceMap?.length ?? 0)) * BYTES_PER_CHARACTER;
}
