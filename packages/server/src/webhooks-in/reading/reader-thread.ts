import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError } from "#foundation";
import { UnreadableWebhook } from "../match/router.ts";
import type { ReadAnswer, ReadJob } from "./jobs.ts";
import type { ThreadAnswer } from "./reader-thread-entry.ts";

// The largest body that is taken is read in a fraction of it.
const MAX_JOB_MS = 20_000;
const MAX_HEAP_MB = 768;
/** An idle thread holds some 20 MB, and starting one takes a while. */
const IDLE_MS = 5 * 60_000;

/** A thread that reads webhooks, one at a time; one that takes too long or too much memory is ended, and another begun. */
export class ReaderThread {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Rejects with `UnreadableWebhook` where the job cannot be done within the bounds. */
  async run(job: ReadJob): Promise<ReadAnswer> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    worker.ref();
    try {
      return toAnswer(await ask(worker, job));
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      this.#worker = undefined;
      await worker.terminate();
      throw error.cause;
    } finally {
      // A process may end while nothing is read.
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const worker = startWorker();
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.terminate().catch(() => {});
  }
}

/** The thread is of no use any more; the cause is the caller's error. */
class ThreadEnded extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

function startWorker(): Worker {
  const extension = extname(import.meta.url);
  const worker = new Worker(new URL(`./reader-thread-entry${extension}`, import.meta.url), {
    env: {},
    execArgv: extension === ".ts" ? ["--conditions=jackfield-source"] : [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // Callers that wait for it get the error.
  worker.on("error", () => {});
  return worker;
}

async function ask(worker: Worker, job: ReadJob): Promise<ThreadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const onError = (error: NodeJS.ErrnoException) =>
    reject(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? new ThreadEnded(new UnreadableWebhook("it takes too much memory to be read"))
        : new ThreadEnded(error),
    );
  const onExit = () => reject(new ThreadEnded(new Error("the reader's thread has ended")));
  // A busy machine takes as long, and the same body may be read in time when it comes again.
  const tooLong = new AppError(
    "overloaded",
    "The webhook takes too long to be read; send it again.",
  );
  const timer = setTimeout(() => reject(new ThreadEnded(tooLong)), MAX_JOB_MS);
  worker.once("message", resolve).once("error", onError).once("exit", onExit);
  worker.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", onError).off("exit", onExit);
  }
}

function toAnswer(said: ThreadAnswer): ReadAnswer {
  if (said.kind === "done") return said.answer;
  if (said.kind === "unreadable") throw new UnreadableWebhook(said.reason);
  throw new Error(`a webhook could not be read: ${said.reason}`);
}
