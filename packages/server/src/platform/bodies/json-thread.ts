import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { JsonBounds, JsonFault } from "./json-fault.ts";

export interface ParsedInThread {
  readonly value: unknown;
  /** SHA-256 of the bytes, in base64url. */
  readonly digest: string;
}

export type ThreadAnswer =
  | { readonly parsed: ParsedInThread }
  | { readonly fault: Pick<JsonFault, "code" | "message"> };

/** An idle thread holds some 12 MB. */
const IDLE_MS = 30_000;

// The largest body, as text of two bytes a character, and the values parsed from it.
const MAX_HEAP_MB = 1024;

/** A thread that parses large bodies one after the other; it ends when it has had none for a while. */
export class JsonThread {
  readonly #worker: Worker;
  readonly #asked: ((answer: ThreadAnswer | undefined) => void)[] = [];
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;

  /** `onEnd` is called when the thread can take no more. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    const entry = `./json-thread-entry${extname(import.meta.url)}`;
    this.#worker = new Worker(new URL(entry, import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#worker.on("message", (answer: ThreadAnswer) => this.#take(answer));
    // A thread that breaks exits; callers that wait for it get an error that asks them to try again.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => {
      onEnd();
      while (this.#asked.length > 0) this.#take(undefined);
    });
  }

  /** Takes the bytes over: they are empty afterwards. Undefined when the thread broke. */
  async parse(
    bytes: Uint8Array<ArrayBuffer>,
    bounds: JsonBounds,
  ): Promise<ThreadAnswer | undefined> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    return await new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#worker.postMessage({ bytes, bounds }, [bytes.buffer]);
    });
  }

  #take(answer: ThreadAnswer | undefined): void {
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
