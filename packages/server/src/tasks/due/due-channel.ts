import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, type Notices, reasonOf, whileWanted } from "#foundation";
import { type Listener, openListener } from "../store.ts";

const RECONNECT_AFTER_MS = 1000;
const PROBE_EVERY_MS = 300;

export const DUE_CHANNEL = "jackfield_due";

export interface DueChannelOptions {
  /** Not through a transaction pooler, where LISTEN hears nothing. */
  readonly connectionString: string;
  readonly log: Logger;
}

/** The one listening connection of a process; it comes back by itself when it is lost. */
export class DueChannel implements Notices, AsyncDisposable {
  readonly #options: DueChannelOptions;
  readonly #wakers = new Map<string, Set<(detail?: string) => void>>();
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #listener: Listener | undefined;
  #heardUntil = Number.NEGATIVE_INFINITY;
  #probe: Promise<boolean> = Promise.resolve(false);
  #nextProbe: Promise<boolean> | undefined;

  constructor(options: DueChannelOptions) {
    this.#options = options;
    this.#done = this.#listen();
  }

  get isListening(): boolean {
    return this.#listener !== undefined;
  }

  get heardUntil(): number {
    return this.#heardUntil;
  }

  subscribe(name: string, wake: (detail?: string) => void): Disposable {
    const wakers = this.#wakers.get(name) ?? new Set();
    this.#wakers.set(name, wakers.add(wake));
    return {
      [Symbol.dispose]: () => {
        wakers.delete(wake);
        if (wakers.size === 0 && this.#wakers.get(name) === wakers) this.#wakers.delete(name);
      },
    };
  }

  wake(name: string): void {
    for (const wake of this.#wakers.get(name) ?? []) wake();
  }

  /** A probe that waits for its turn serves all who come meanwhile. */
  async catchUp(): Promise<boolean> {
    this.#nextProbe ??= this.#probe.then(() => {
      this.#nextProbe = undefined;
      this.#probe = this.#sendProbe();
      return this.#probe;
    });
    return await this.#nextProbe;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  /** Postgres sends a session what was announced before it answers the session's next statement. */
  async #sendProbe(): Promise<boolean> {
    const listener = this.#listener;
    const sentAt = performance.now();
    if (listener === undefined || !(await listener.answers())) return false;
    if (this.#listener === listener) this.#heardUntil = sentAt;
    return this.#listener === listener;
  }

  /** A lost connection may look alive for minutes: what has arrived is only known by asking. */
  async #keepProbing(listener: Listener): Promise<void> {
    while (this.#listener === listener) {
      await this.catchUp();
      await sleep(PROBE_EVERY_MS, undefined, { ref: false });
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#listenOnce();
      } catch (error) {
        this.#options.log.warn("tasks.listen_lost", { reason: reasonOf(error) });
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
    this.#listener = listener;
    this.#wake(undefined);
    void this.#keepProbing(listener);
    try {
      await whileWanted(signal, listener.ended);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#listener = undefined;
      this.#heardUntil = Number.NEGATIVE_INFINITY;
    }
  }

  #wake(payload: string | undefined): void {
    const space = payload?.indexOf(" ") ?? -1;
    const name = space === -1 ? payload : payload?.slice(0, space);
    const detail = space === -1 ? undefined : payload?.slice(space + 1);
    const names = name === undefined ? [...this.#wakers.keys()] : [name];
    for (const each of names) {
      for (const wake of this.#wakers.get(each) ?? []) wake(detail);
    }
  }
}
