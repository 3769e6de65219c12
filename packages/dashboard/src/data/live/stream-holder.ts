import { EventStream } from "./event-stream.ts";
import type { StreamNotice, StreamState, TabMessage, Wish } from "./messages.ts";

/** A tab that goes to another page of the dashboard leaves and comes back within this time. */
const LINGER_MS = 2000;

export type Say = (notice: StreamNotice) => void;

interface Held {
  readonly wish: Wish;
  readonly stream: EventStream;
  readonly tabs: Set<Say>;
  state: StreamState;
  closing: ReturnType<typeof setTimeout> | undefined;
}

/** Holds a stream for each environment that some tab shows, and passes on what it hears. */
export class StreamHolder {
  readonly #held = new Map<string, Held>();

  constructor() {
    addEventListener("online", () => {
      for (const { stream } of this.#held.values()) stream.hurry();
    });
  }

  hear(tab: Say, message: TabMessage): void {
    if (message.kind === "leave") {
      this.#leave(tab);
      return;
    }
    const { wish } = message;
    const held = this.#holdFor(wish);
    if (!held.tabs.has(tab)) this.#leave(tab);
    clearTimeout(held.closing);
    held.tabs.add(tab);
    tab({ kind: "state", environment: wish.environment, state: held.state });
  }

  #holdFor(wish: Wish): Held {
    const { environment } = wish;
    const known = this.#held.get(environment);
    if (known !== undefined && known.state !== "refused" && isSame(known.wish, wish)) return known;
    known?.stream.close();
    clearTimeout(known?.closing);
    const tabs = known?.tabs ?? new Set<Say>();
    const say = (notice: StreamNotice) => {
      for (const tab of tabs) tab(notice);
    };
    const held: Held = {
      wish,
      tabs,
      state: "opening",
      closing: undefined,
      stream: new EventStream(wish, {
        onTopic: (topic) => say({ kind: "changed", environment, topic }),
        onState: (state) => {
          held.state = state;
          say({ kind: "state", environment, state });
        },
      }),
    };
    this.#held.set(environment, held);
    return held;
  }

  #leave(tab: Say): void {
    for (const [environment, held] of this.#held) {
      if (!held.tabs.delete(tab) || held.tabs.size > 0) continue;
      clearTimeout(held.closing);
      held.closing = setTimeout(() => {
        if (held.tabs.size > 0 || this.#held.get(environment) !== held) return;
        held.stream.close();
        this.#held.delete(environment);
      }, LINGER_MS);
    }
  }
}

function isSame(one: Wish, other: Wish): boolean {
  return one.csrf === other.csrf && one.topics.join() === other.topics.join();
}
