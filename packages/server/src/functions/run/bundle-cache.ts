import { LRUCache } from "lru-cache";
import type { Bundle } from "../store.ts";

const BYTES_PER_CHARACTER = 2;

/** Keeps the bundles used last, up to a number of bytes. */
export function createBundleCache(maxBytes: number): LRUCache<string, Bundle> {
  return new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
}

function sizeOf({ code, source, sourceMap }: Bundle): number {
  const characters = code.length + source.length + (sourceMap?.length ?? 0);
  // Nothing may take no room.
  return Math.max(1, characters * BYTES_PER_CHARACTER);
}
