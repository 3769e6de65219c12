import { LRUCache } from "lru-cache";
import { type Clock, Doorbell, SECOND, type SystemContext, serverState } from "#foundation";
import { CHANGES as ROW_CHANGES } from "#foundation/cache";
import { CHANGES, type ChangeTopic, changeTopics, readChanges } from "#logs";

/** Streams of one environment in one process. */
const MOST_STREAMS = 50;

/** What one stream has to say; topics that wait are a set, so that a slow reader holds up no memory. */
export class EventStream implements Disposable {
  readonly #topics: ReadonlySet<ChangeTopic>;
  readonly #waiting = new Set<ChangeTopic>();
  readonly #onClose: (stream: EventStream) => void;
  readonly #bell = new Doorbell();
  #isOver = false;

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

  /** What its caller may hear has to be asked again: the client comes again, if it still may. */
  end(): void {
    this.#isOver = true;
    this.wake();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  wake(): void {
    this.#bell.ring();
  }

  take(): ChangeTopic[] {
    const topics = [...this.#waiting];
    this.#waiting.clear();
    this.#bell.silence();
    return topics;
  }

  /** Until something waits that was not taken, it is woken, or the time is over. */
  async wait(ms: number): Promise<void> {
    await this.#bell.wait(ms);
  }

  [Symbol.dispose](): void {
    this.wake();
    this.#onClose(this);
  }
}

/** Of environments without a stream, how many are remembered by what has changed in them. */
const MOST_REMEMBERED = 5000;
/** By so much the clocks of processes may differ, and a notice may be late. */
const SLACK_MS = 3 * SECOND;

/** All streams of a process: they share its one connection that listens. */
export class EventHub implements Disposable {
  readonly #streams = new Map<string, Set<EventStream>>();
  readonly #changed = new LRUCache<string, Map<ChangeTopic, number>>({ max: MOST_REMEMBERED });
  /** Streams by the rows that their right to listen rests on, as notices name them. */
  readonly #byRow = new Map<string, Set<EventStream>>();
  readonly #subscriptions: readonly Disposable[];
  readonly #clock: Clock;
  /** What changed before is not known. */
  #knownSince: number;

  constructor({ notices, clock }: Pick<SystemContext, "notices" | "clock">) {
    this.#clock = clock;
    this.#knownSince = clock.now().getTime();
    this.#subscriptions = [
      notices.subscribe(CHANGES, (detail) => this.#hear(detail)),
      notices.subscribe(ROW_CHANGES, (detail) => this.#hearOfRow(detail)),
    ];
  }

  /** Undefined when the environment has as many streams as it may. */
  open(
    environmentId: string,
    topics: readonly ChangeTopic[],
    rows: readonly string[] = [],
  ): EventStream | undefined {
    const own = this.#streams.get(environmentId) ?? new Set();
    if (own.size >= MOST_STREAMS) return undefined;
    this.#streams.set(environmentId, own);
    const stream = new EventStream(topics, (closed) => {
      remove(this.#streams, environmentId, closed);
      for (const row of rows) remove(this.#byRow, row, closed);
    });
    own.add(stream);
    for (const row of rows) {
      this.#byRow.set(row, (this.#byRow.get(row) ?? new Set()).add(stream));
    }
    return stream;
  }

  /** Topics that have changed since a time; all of them where that is longer ago than is remembered. */
  changedSince(environmentId: string, ms: number): readonly ChangeTopic[] {
    const changed = this.#changed.get(environmentId);
    const isFull = this.#changed.size >= MOST_REMEMBERED && changed === undefined;
    if (isFull || !(ms - SLACK_MS >= this.#knownSince)) return changeTopics;
    return changeTopics.filter((topic) => (changed?.get(topic) ?? 0) > ms - SLACK_MS);
  }

  #hear(detail: string | undefined): void {
    const now = this.#clock.now().getTime();
    if (detail === undefined) {
      this.#knownSince = now;
      this.#changed.clear();
      for (const own of this.#streams.values()) for (const stream of own) stream.addAll();
      return;
    }
    for (const { environmentId, topics } of readChanges(detail)) {
      const changed = this.#changed.get(environmentId) ?? new Map<ChangeTopic, number>();
      for (const topic of topics) changed.set(topic, now);
      this.#changed.set(environmentId, changed);
      for (const stream of this.#streams.get(environmentId) ?? []) stream.add(topics);
    }
  }

  #hearOfRow(detail: string | undefined): void {
    const ended =
      detail === undefined ? [...this.#byRow.values()] : [this.#byRow.get(detail) ?? new Set()];
    for (const streams of ended) for (const stream of streams) stream.end();
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }
}

function remove(map: Map<string, Set<EventStream>>, key: string, stream: EventStream): void {
  const own = map.get(key);
  own?.delete(stream);
  if (own?.size === 0) map.delete(key);
}

export const eventHub = serverState(
  (owner: Pick<SystemContext, "notices" | "clock">) => new EventHub(owner),
);
