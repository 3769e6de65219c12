import { CHANGES, type ChangeTopic, changeTopics, readChanges } from "#logs";
import { type Notices, type SystemContext, serverState } from "#platform";

/** Streams of one environment in one process. */
const MOST_STREAMS = 50;

/** What one stream has to say; topics that wait are a set, so that a slow reader holds up no memory. */
export class EventStream implements Disposable {
  readonly #topics: ReadonlySet<ChangeTopic>;
  readonly #waiting = new Set<ChangeTopic>();
  readonly #onClose: (stream: EventStream) => void;
  #wake: () => void = () => undefined;

  constructor(topics: readonly ChangeTopic[], onClose: (stream: EventStream) => void) {
    this.#topics = new Set(topics);
    this.#onClose = onClose;
  }

  add(topics: readonly ChangeTopic[]): void {
    for (const topic of topics) if (this.#topics.has(topic)) this.#waiting.add(topic);
    if (this.#waiting.size > 0) this.wake();
  }

  /** Everything may have changed. */
  addAll(): void {
    this.add(changeTopics);
  }

  wake(): void {
    this.#wake();
  }

  take(): ChangeTopic[] {
    const topics = [...this.#waiting];
    this.#waiting.clear();
    return topics;
  }

  /** Until something waits, it is woken, or the time is over. */
  async wait(ms: number): Promise<void> {
    if (this.#waiting.size > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    this.wake();
    this.#onClose(this);
  }
}

/** All streams of a process: they share its one connection that listens. */
export class EventHub implements Disposable {
  readonly #streams = new Map<string, Set<EventStream>>();
  readonly #subscription: Disposable;

  constructor(notices: Notices) {
    this.#subscription = notices.subscribe(CHANGES, (detail) => this.#hear(detail));
  }

  /** Undefined when the environment has as many streams as it may. */
  open(environmentId: string, topics: readonly ChangeTopic[]): EventStream | undefined {
    const own = this.#streams.get(environmentId) ?? new Set();
    if (own.size >= MOST_STREAMS) return undefined;
    this.#streams.set(environmentId, own);
    const stream = new EventStream(topics, (closed) => {
      own.delete(closed);
      if (own.size === 0 && this.#streams.get(environmentId) === own) {
        this.#streams.delete(environmentId);
      }
    });
    own.add(stream);
    return stream;
  }

  #hear(detail: string | undefined): void {
    if (detail === undefined) {
      for (const own of this.#streams.values()) for (const stream of own) stream.addAll();
      return;
    }
    for (const { environmentId, topics } of readChanges(detail)) {
      for (const stream of this.#streams.get(environmentId) ?? []) stream.add(topics);
    }
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

export const eventHub = serverState(
  ({ notices }: Pick<SystemContext, "notices">) => new EventHub(notices),
);
