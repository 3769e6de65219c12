import type { StreamState, Wish } from "./messages.ts";

const SECOND = 1000;
const FIRST_PAUSE_MS = SECOND;
const LONGEST_PAUSE_MS = 30 * SECOND;
/** The server says something every 15 s; after three times of nothing the connection is dead. */
const SILENCE_MS = 45 * SECOND;

export interface StreamEvents {
  onTopic(topic: string): void;
  onState(state: StreamState): void;
}

/**
 * One stream of server-sent events, opened again when it ends. By `fetch`, since an `EventSource` can send neither the
 * token of the session nor the environment.
 */
export class EventStream {
  readonly #wish: Wish;
  readonly #events: StreamEvents;
  readonly #closing = new AbortController();
  /** Those of the wish that the server knows. */
  #topics: readonly string[];
  #lastEventId: string | undefined;
  #failures = 0;
  #endPause: () => void = () => undefined;

  constructor(wish: Wish, events: StreamEvents) {
    this.#wish = wish;
    this.#topics = wish.topics;
    this.#events = events;
    void this.#run();
  }

  /** Tries again now, if it waits. */
  hurry(): void {
    this.#endPause();
  }

  close(): void {
    this.#closing.abort();
    this.#endPause();
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const outcome = await this.#read().catch(() => "failed" as const);
      if (this.#closing.signal.aborted) return;
      if (outcome === "refused") {
        this.#events.onState("refused");
        return;
      }
      if (outcome === "narrowed") continue;
      // It may be another process, which knows more than the one before.
      this.#topics = this.#wish.topics;
      // A stream that has ended as it should is opened again at once.
      if (outcome === "ended" && this.#failures === 0) continue;
      this.#failures += 1;
      this.#events.onState("away");
      await this.#pause();
    }
  }

  async #read(): Promise<"ended" | "failed" | "refused" | "narrowed"> {
    const silence = new AbortController();
    const { environment, api, csrf } = this.#wish;
    let watch = setTimeout(() => silence.abort(), SILENCE_MS);
    let settling: ReturnType<typeof setTimeout> | undefined;
    try {
      const response = await fetch(`${api}/events?topics=${this.#topics.join(",")}`, {
        headers: {
          accept: "text/event-stream",
          "svc-csrf": csrf,
          "svc-environment": environment,
          ...(this.#lastEventId === undefined ? {} : { "last-event-id": this.#lastEventId }),
        },
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.any([this.#closing.signal, silence.signal]),
      });
      if (
        response.status === 400 &&
        this.#drop(unknownTopics(await response.json().catch(() => undefined)))
      ) {
        return "narrowed";
      }
      if ([400, 401, 403, 404].includes(response.status)) return "refused";
      if (!response.ok || response.body === null) return "failed";
      const openedAt = performance.now();
      this.#lastEventId ??= "0";
      // After a failure, one that ends right after it began is no better than none: nothing says that it is open, and
      // the pauses between tries grow.
      if (this.#failures === 0) this.#events.onState("open");
      else settling = setTimeout(() => this.#settle(), FIRST_PAUSE_MS);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      while (true) {
        const { done, value = "" } = await reader.read();
        if (done) return performance.now() - openedAt > FIRST_PAUSE_MS ? "ended" : "failed";
        clearTimeout(watch);
        watch = setTimeout(() => silence.abort(), SILENCE_MS);
        rest = this.#take(rest + value);
      }
    } finally {
      clearTimeout(watch);
      clearTimeout(settling);
    }
  }

  /** Leaves out topics of these places; false where that leaves none, or changes nothing. */
  #drop(places: ReadonlySet<number>): boolean {
    const known = this.#topics.filter((_topic, place) => !places.has(place));
    if (known.length === 0 || known.length === this.#topics.length) return false;
    this.#topics = known;
    return true;
  }

  #settle(): void {
    this.#failures = 0;
    this.#events.onState("open");
  }

  /** Reads the lines that are complete; returns what is not. */
  #take(text: string): string {
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("id: ")) this.#lastEventId = line.slice("id: ".length);
      if (line.startsWith("event: ")) this.#events.onTopic(line.slice("event: ".length));
    }
    return rest;
  }

  async #pause(): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    // Browsers that lost one server do not come back all at once.
    const pauseMs = longest * (0.5 + Math.random() / 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, pauseMs);
    await promise;
    clearTimeout(timer);
  }
}

/** While servers are replaced, one of the version before may answer, which knows fewer topics and says which. */
function unknownTopics(body: unknown): ReadonlySet<number> {
  const { errors } = Object(Object(body).error);
  const paths = Array.isArray(errors) ? errors.map((fault) => Object(fault).path) : [];
  return new Set(
    paths.filter((path) => Array.isArray(path) && path[0] === "topics").map(([, at]) => Number(at)),
  );
}
