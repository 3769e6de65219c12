import { defineGauge, defineHistogram } from "../instruments/index.ts";
import { priorityOf } from "./priority.ts";

export interface SlotRequest {
  readonly signal?: AbortSignal | undefined;
  /** How long it may wait; then `tooLate` says why there was no slot. For as long as it takes unless given. */
  readonly waitMs?: number;
  readonly tooLate?: () => Error;
}

interface Waiter {
  readonly since: number;
  start(): void;
}

export interface FairSlotsOptions {
  /** In metrics; slots of the same name are shown together. Not shown unless given. */
  readonly name?: string;
  readonly slots: number;
  /** How many of them one owner may hold. */
  readonly ceiling: number;
  /** An owner that may hold all. */
  readonly unlimited?: string;
}

const slots = defineGauge({
  name: "svc_places",
  help: "Slots of the process that environments share: `held`, and requests `waiting` for one.",
  unit: "{place}",
  labels: ["places", "state"],
});
const waits = defineHistogram({
  name: "svc_place_wait_seconds",
  help: "Time that callers waited for a slot, whether or not they got one.",
  unit: "s",
  labels: ["places"],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
});

// Process-wide: metrics are. Those with a name; they live as long as what they are for.
const shown = new Set<WeakRef<FairSlots>>();
slots.observe(() =>
  [...shown].flatMap((reference) => {
    const { name, held, waiting } = reference.deref()?.counts ?? {};
    if (name === undefined) shown.delete(reference);
    if (name === undefined || held === undefined || waiting === undefined) return [];
    return [
      { value: held, labels: { places: name, state: "held" } },
      { value: waiting, labels: { places: name, state: "waiting" } },
    ];
  }),
);

/** Slots of one process, handed out in turn of those who ask; owners are environments. */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Waiter>>();
  #taken = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    if (options.name !== undefined) shown.add(new WeakRef(this));
  }

  /** How many are held, and how many wait for one. */
  get counts(): { readonly name: string; readonly held: number; readonly waiting: number } {
    let waiting = 0;
    for (const queue of this.#waiting.values()) waiting += queue.size;
    return { name: this.#options.name ?? "", held: this.#taken, waiting };
  }

  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  waitingOf(owner: string): number {
    return this.#waiting.get(owner)?.size ?? 0;
  }

  isAtCeiling(owner: string): boolean {
    return owner !== this.#options.unlimited && this.heldBy(owner) >= this.#options.ceiling;
  }

  /** A slot at once; undefined where there is none for this owner. */
  tryTake(owner: string): Disposable | undefined {
    if (this.#taken >= this.#options.slots || this.isAtCeiling(owner)) return undefined;
    this.#count(owner, 1);
    return this.#slotOf(owner);
  }

  /** Waits for its turn, and gives the slot back when disposed; throws what `tooLate` makes, or the signal's reason. */
  async take(owner: string, request: SlotRequest = {}): Promise<Disposable> {
    request.signal?.throwIfAborted();
    const free = this.tryTake(owner);
    if (free !== undefined) return free;
    await this.#wait(owner, request);
    return this.#slotOf(owner);
  }

  async #wait(owner: string, { signal, waitMs, tooLate }: SlotRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { since: performance.now(), start: resolve };
    const queue = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, queue.add(waiter));
    const leave = (reason: unknown) => {
      this.#leave(owner, waiter);
      reject(reason);
    };
    const hangUp = () => leave(signal?.reason);
    const giveUp = () => leave(tooLate?.() ?? new Error("no slot became free in time"));
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    signal?.addEventListener("abort", hangUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", hangUp);
      const { name } = this.#options;
      const waitedMs = performance.now() - waiter.since;
      if (name !== undefined) waits.record(waitedMs / 1000, { places: name });
    });
  }

  #leave(owner: string, waiter: Waiter): void {
    const queue = this.#waiting.get(owner);
    queue?.delete(waiter);
    if (queue?.size === 0) this.#waiting.delete(owner);
  }

  #slotOf(owner: string): Disposable {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(owner, -1);
        this.#startNext();
      },
    };
  }

  #count(owner: string, change: 1 | -1): void {
    this.#taken += change;
    const held = this.heldBy(owner) + change;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  #startNext(): void {
    if (this.#waiting.size === 0 || this.#taken >= this.#options.slots) return;
    const next = this.#chooseNext();
    if (next === undefined) return;
    this.#leave(next.owner, next.waiter);
    // Counted here: until the waiter continues, the slot must not be given to another.
    this.#count(next.owner, 1);
    next.waiter.start();
  }

  /** Of each owner the one that came first. */
  #chooseNext(): { owner: string; waiter: Waiter } | undefined {
    const now = performance.now();
    let best: { owner: string; waiter: Waiter; priority: number } | undefined;
    for (const [owner, queue] of this.#waiting) {
      const [waiter] = queue;
      if (waiter === undefined || this.isAtCeiling(owner)) continue;
      const priority = priorityOf({
        held: this.heldBy(owner),
        nth: 1,
        waitedMs: now - waiter.since,
      });
      const isSooner = best === undefined || priority < best.priority;
      if (isSooner || (priority === best?.priority && waiter.since < best.waiter.since)) {
        best = { owner, waiter, priority };
      }
    }
    return best;
  }
}
