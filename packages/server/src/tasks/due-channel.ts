import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, messageOf } from "#platform";
import { openListener } from "./store.ts";

const RECONNECT_AFTER_MS = 1000;

export const DUE_CHANNEL = "jackfield_due";

export interface DueChannelOptions {
  /** Not through a transaction pooler, where LISTEN hears nothing. */
  readonly connectionString: string;
  readonly log: Logger;
}

/** The one listening connection of a process; it comes back by itself when it is lost. */
export class DueChannel implements AsyncDisposable {
  readonly #options: DueChannelOptions;
  readonly #wakers = new Map<string, Set<() => void>>();
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: DueChannelOptions) {
    this.#options = options;
    this.#done = this.#listen();
  }

  /** Calls `wake` at each notification of `name`, and when some may have been missed. */
  subscribe(name: string, wake: () => void): Disposable {
    const wakers = this.#wakers.get(name) ?? new Set();
    this.#wakers.set(name, wakers.add(wake));
    return { [Symbol.dispose]: () => void wakers.delete(wake) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#listenOnce();
      } catch (error) {
        this.#options.log.warn("tasks.listen_lost", { reason: messageOf(error) });
      }
      await sleep(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Ends when the connection does. */
  async #listenOnce(): Promise<void> {
    const { signal } = this.#stopping;
    await using listener = await openListener({
      connectionString: this.#options.connectionString,
      channel: DUE_CHANNEL,
      onPayload: (payload) => this.#wake(payload),
    });
    this.#wake(undefined);
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    await Promise.race([listener.ended, stopped]);
  }

  #wake(name: string | undefined): void {
    const names = name === undefined ? [...this.#wakers.keys()] : [name];
    for (const each of names) {
      for (const wake of this.#wakers.get(each) ?? []) wake();
    }
  }
}
