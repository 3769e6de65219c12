import { AsyncLocalStorage } from "node:async_hooks";
import { SECOND } from "../../clock.ts";
import { afterAbout } from "../../waiting/index.ts";
import { DatabaseSilent } from "./database-away.ts";

/** How long a request waits for the database in all, so that it is answered within 10 s. */
export const REQUEST_PATIENCE_MS = 9 * SECOND;

/**
 * What is left of a request's patience with the database. Waits that overlap count once; time spent otherwise gives
 * patience back, so that a stream of hours does not run out of it.
 */
export class Patience {
  readonly #wholeMs: number;
  #leftMs: number;
  #waits = 0;
  /** Since when it waits, or does not. */
  #since = performance.now();
  #isOver = false;
  #allowsLong = false;

  constructor(wholeMs: number) {
    this.#wholeMs = wholeMs;
    this.#leftMs = wholeMs;
  }

  get leftMs(): number {
    const passed = performance.now() - this.#since;
    if (this.#waits > 0) return Math.max(0, this.#leftMs - passed);
    return Math.min(this.#wholeMs, this.#leftMs + passed);
  }

  /** The request has ended; what it began continues without its bounds. */
  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  /** Statements take as long as the database confirms to work on them, and use up no patience. */
  get allowsLong(): boolean {
    return this.#allowsLong;
  }

  allowLong(): void {
    this.#allowsLong = true;
  }

  /** Until the returned function is called. */
  wait(): () => void {
    this.#change(1);
    let isWaiting = true;
    return () => {
      if (isWaiting) this.#change(-1);
      isWaiting = false;
    };
  }

  #change(by: 1 | -1): void {
    this.#leftMs = this.leftMs;
    this.#since = performance.now();
    this.#waits += by;
  }
}

const current = new AsyncLocalStorage<Patience>();

/** Statements of `work`, and of all that it begins, share the patience until it ends. */
export function withPatience<Result>(patience: Patience, work: () => Result): Result {
  return current.run(patience, work);
}

/** Undefined outside requests, and in what outlives one. */
export function findPatience(): Patience | undefined {
  const patience = current.getStore();
  return patience === undefined || patience.isOver ? undefined : patience;
}

/**
 * For a request that writes as much as it was sent, or changes as much as the environment has: from now on only silence
 * ends its statements, and not what they take on a slow disk.
 */
export function allowLongStatements(): void {
  findPatience()?.allowLong();
}

/** Waits for what hangs on the database, and was perhaps begun for others, only as long as the request may. */
export async function withinPatience<Result>(work: Promise<Result>): Promise<Result> {
  const patience = findPatience();
  if (patience === undefined) return await work;
  const endWait = patience.wait();
  return await new Promise<Result>((resolve, reject) => {
    const stop = afterAbout(patience.leftMs, () => {
      endWait();
      reject(tooLate());
    });
    const end = (): void => {
      stop();
      endWait();
    };
    work.then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

function tooLate(): DatabaseSilent {
  return new DatabaseSilent("the database did not answer within the time of the request");
}
