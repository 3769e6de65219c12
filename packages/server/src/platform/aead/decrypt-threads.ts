import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { DecryptJob } from "./sealed-texts.ts";

/** An idle thread holds some 12 MB. */
const IDLE_MS = 30_000;

type Answer = Uint8Array<ArrayBuffer> | undefined;

/** A thread that decrypts, one job after the other; it ends when it has had none for a while. */
export class DecryptThread {
  readonly #worker: Worker;
  readonly #asked: ((answer: Answer) => void)[] = [];
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;

  /** `onEnd` is called when the thread can take no more. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    const entry = `./decrypt-thread-entry${extname(import.meta.url)}`;
    this.#worker = new Worker(new URL(entry, import.meta.url), { env: {}, execArgv: [] });
    this.#worker.on("message", (answer: Answer) => this.#take(answer));
    // A thread that breaks exits; callers that wait for it decrypt in their own.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => {
      onEnd();
      while (this.#asked.length > 0) this.#take(undefined);
    });
  }

  /** How many jobs it has not answered. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** The plaintexts, joined; undefined when it could not. */
  async run(job: DecryptJob): Promise<Answer> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    return await new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#worker.postMessage(job, [job.bytes.buffer]);
    });
  }

  #take(answer: Answer): void {
    this.#asked.shift()?.(answer);
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
