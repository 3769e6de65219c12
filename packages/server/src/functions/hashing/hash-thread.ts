import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Bundle } from "../store.ts";

/** An idle thread holds some 12 MB. */
const IDLE_MS = 30_000;

type Hashes = readonly Uint8Array[];

/** A thread that hashes bundles, one list after the other; it ends when it has had none for a while. */
export class HashThread {
  readonly #worker: Worker;
  readonly #asked: ((hashes: Hashes | undefined) => void)[] = [];
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;

  /** `onEnd` is called when the thread can take no more. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    const entry = `./hash-thread-entry${extname(import.meta.url)}`;
    this.#worker = new Worker(new URL(entry, import.meta.url), { env: {}, execArgv: [] });
    this.#worker.on("message", (hashes: Hashes) => this.#take(hashes));
    // A thread that breaks exits; those who wait for it hash in their own.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => {
      onEnd();
      while (this.#asked.length > 0) this.#take(undefined);
    });
  }

  /** In the order given; undefined when it could not. */
  async hash(bundles: readonly Bundle[]): Promise<Hashes | undefined> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    return await new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#worker.postMessage(bundles);
    });
  }

  #take(hashes: Hashes | undefined): void {
    this.#asked.shift()?.(hashes);
    if (this.#asked.length > 0) return;
    // A process may end while it has no work.
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    this.#onEnd();
    this.#worker.terminate().catch(() => {});
  }
}
