import type { Readable } from "node:stream";

const KEPT_CHARS = 8000;
const MAX_BYTES = 1024 * 1024;

/** The last words of a process. One that writes too much is not read on until it has ended. */
export class StderrTail {
  text = "";
  readonly #stream: Readable | null;
  #bytes = 0;
  #isDraining = false;

  constructor(stream: Readable | null) {
    this.#stream = stream;
    stream?.on("data", (chunk: Buffer) => this.#keep(chunk));
  }

  /** Reads what is left of a process that has ended. */
  drain(): void {
    this.#isDraining = true;
    this.#stream?.resume();
  }

  #keep(chunk: Buffer): void {
    this.text = (this.text + chunk.toString()).slice(-KEPT_CHARS);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MAX_BYTES && !this.#isDraining) this.#stream?.pause();
  }
}
