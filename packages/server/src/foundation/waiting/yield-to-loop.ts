import { setImmediate as yieldToLoop } from "node:timers/promises";

// Hashing or encrypting so many bytes takes a millisecond. A multiple of 3, so that slices can be written as base64.
const SLICE_BYTES = 3 * 256 * 1024;

/**
 * The bytes in slices of 768 KB, the last of each part with what is left. Between two of them the loop turns, so that what takes long altogether holds up
 * nobody; what fits into one slice is not held up itself.
 */
export async function* inSlices(
  ...parts: readonly Uint8Array[]
): AsyncGenerator<Uint8Array, undefined, void> {
  let sinceYield = 0;
  for (const part of parts) {
    for (let from = 0; from < part.byteLength; from += SLICE_BYTES) {
      const slice = part.subarray(from, from + SLICE_BYTES);
      if (sinceYield + slice.byteLength > SLICE_BYTES) {
        await yieldToLoop();
        sinceYield = 0;
      }
      sinceYield += slice.byteLength;
      yield slice;
    }
  }
}

/** Lets the event loop turn whenever the work since its last turn has come to so many units, so that long work holds up nobody. */
export class Pace {
  readonly #unitsOfSlice: number;
  #spent = 0;

  constructor(unitsOfSlice: number) {
    this.#unitsOfSlice = unitsOfSlice;
  }

  /** Counts work that is done. */
  async spend(units: number): Promise<void> {
    this.#spent += units;
    if (this.#spent < this.#unitsOfSlice) return;
    this.#spent = 0;
    await yieldToLoop();
  }
}
