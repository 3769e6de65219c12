import { type ResourceLimits, type Transferable, Worker } from "node:worker_threads";

/** An idle thread holds some 12 MB. */
const IDLE_MS = 30_000;

export interface JobThreadOptions {
  readonly entry: URL;
  readonly resourceLimits?: ResourceLimits;
  /** Called when the thread can take no more. */
  readonly onEnd: () => void;
}

/** A thread that does one job after the other; it ends when it has had none for a while. */
export class JobThread<Job, Answer> implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #asked: ((answer: Answer | undefined) => void)[] = [];
  readonly #onEnd: () => void;
  #idle: NodeJS.Timeout | undefined;

  constructor({ entry, onEnd, resourceLimits = {} }: JobThreadOptions) {
    this.#onEnd = onEnd;
    // Sources find the packages of the workspace by this condition.
    const execArgv = entry.pathname.endsWith(".ts") ? ["--conditions=jackfield-source"] : [];
    this.#worker = new Worker(entry, { env: {}, execArgv, resourceLimits });
    this.#worker.on("message", (answer: Answer) => this.#take(answer));
    // A thread that breaks exits; callers that wait for it learn that.
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

  /** Undefined when the thread broke. What is transferred is empty afterwards. */
  async run(job: Job, transferred: readonly Transferable[] = []): Promise<Answer | undefined> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    return await new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#worker.postMessage(job, transferred);
    });
  }

  /** Ends it in the middle of a job; what it has not answered is undefined. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#onEnd();
    await this.#worker.terminate();
  }

  #take(answer: Answer | undefined): void {
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
