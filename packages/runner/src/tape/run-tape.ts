import { AsyncLocalStorage } from "node:async_hooks";
import type { TapeFacts, TapeMoment } from "@jackfield/contract/tape-moments";
import { tapeMomentLimits } from "@jackfield/contract/tape-moments";

// Kept from the start: the run sees others in their place.
const later = setImmediate;
const startTimer = setTimeout;
const RealDate = Date;
const { floor, max, min, round } = Math;
const bind: (run: () => void) => () => void = AsyncLocalStorage.bind.bind(AsyncLocalStorage);

/** How long work of Node itself may take before a moment of the tape is passed over. */
const GRACE_MS = 25;
/** Turns of the event loop that what follows from a moment has before the next: bodies of `fetch` are read in several. */
const TURNS = 4;
/** So often a changed function may ask for the time within one moment before it passes. */
const STILL_READS = 1000;

export interface TapeLink {
  /** Sends moments to the host. */
  readonly note: (moments: readonly TapeMoment[]) => void;
  readonly nowMs: () => number;
}

interface Delivery {
  /** The name of the moment; undefined for what the tape does not have. */
  readonly on: string | undefined;
  readonly deliver: () => void;
  readonly timer?: string;
}

/**
 * What reaches a recorded run from outside, and when: answers of the host and timers, one at a time, and what the clock
 * said in between. Recorded, they come as they come; played, in the order of the tape, as soon as they can.
 */
export class RunTape {
  readonly #startedAtMs: number;
  readonly #startedMs: number;
  readonly #link: TapeLink;
  readonly #played: readonly TapeMoment[] | undefined;
  readonly #deliveries: Delivery[] = [];
  readonly #timers = new Map<string, () => void>();
  #moment: { on: string; at: number; readonly reads: number[] } = { on: "start", at: 0, reads: [] };
  #buffer: TapeMoment[] = [];
  #noted = 0;
  #read = 0;
  #lastUs = 0;
  #timerCount = 0;
  #outstanding = 0;
  #isPumping = false;
  #isWaiting = false;
  /** Of the tape that is played: what comes next, and how often the current one was asked for the time. */
  #next = 1;
  #current = 0;
  #asked = 0;
  #isOver = false;

  constructor({ startedAtMs, play }: Pick<TapeFacts, "startedAtMs" | "play">, link: TapeLink) {
    this.#startedAtMs = startedAtMs;
    this.#startedMs = link.nowMs();
    this.#link = link;
    this.#played = play;
    this.#moment.at = this.#played?.[0]?.[1] ?? this.#realUs();
    this.#lastUs = this.#moment.at;
  }

  get isPlaying(): boolean {
    return this.#played !== undefined;
  }

  /** Milliseconds since 1970, with microseconds behind the point. */
  readTime(): number {
    return this.#startedAtMs + this.#readUs() / 1000;
  }

  /** Milliseconds of the run at the moment that it is at; not noted, since the moment is. */
  get momentMs(): number {
    return this.#moment.at / 1000;
  }

  /** A call has left for the host. */
  called(): void {
    this.#outstanding += 1;
    if (this.#buffer.length >= tapeMomentLimits.atOnce) this.#flush();
  }

  /** An answer of the host. */
  answer(on: string | undefined, deliver: () => void): void {
    this.#outstanding -= 1;
    // The recorded run had ended before.
    if (on !== "never") this.#deliveries.push({ on, deliver });
    this.#pump();
  }

  /** Starts a timer of the run; resolves to its name, by which it is stopped. */
  addTimer(fire: () => void, start: (fire: () => void) => void): string {
    const name = `t${this.#timerCount}`;
    this.#timerCount += 1;
    if (this.#hasAhead(name)) {
      // It is fired from elsewhere, and belongs to what has started it.
      this.#timers.set(name, bind(fire));
      this.#pump();
      return name;
    }
    const deliver = bind(fire);
    start(() => {
      this.#deliveries.push({ on: this.isPlaying ? undefined : name, deliver, timer: name });
      this.#pump();
    });
    return name;
  }

  stopTimer(name: string): void {
    this.#timers.delete(name);
    const place = this.#deliveries.findIndex(({ timer }) => timer === name);
    if (place !== -1) this.#deliveries.splice(place, 1);
  }

  /** The run has ended: nothing is noted any more. */
  end(): void {
    this.#close();
    this.#flush();
    this.#isOver = true;
  }

  #hasAhead(name: string): boolean {
    if (this.#isOver || this.#played === undefined) return false;
    for (let at = this.#next; at < this.#played.length; at += 1) {
      if (this.#played[at]?.[0] === name) return true;
    }
    return false;
  }

  #realUs(): number {
    return max(0, round((this.#link.nowMs() - this.#startedMs) * 1000));
  }

  #readUs(): number {
    if (this.#isOver) return this.#realUs();
    const us = this.#played === undefined ? this.#realUs() : this.#playedUs(this.#played);
    if (this.#played === undefined && this.#read < tapeMomentLimits.reads) {
      this.#read += 1;
      if (this.#moment.reads.length === tapeMomentLimits.readsOfMoment) {
        this.#close();
        this.#moment = { on: "", at: this.#lastUs, reads: [] };
      }
      this.#moment.reads.push(us - this.#lastUs);
    }
    this.#lastUs = us;
    return us;
  }

  #playedUs(played: readonly TapeMoment[]): number {
    let at = this.#asked;
    this.#asked += 1;
    for (let place = this.#current; ; place += 1) {
      const moment = played[place];
      // What a moment was asked for past its bound is in the next, which has no name.
      if (moment === undefined || (place > this.#current && moment[0] !== "")) break;
      const step = moment[2][at];
      if (step !== undefined) return this.#lastUs + step;
      at -= moment[2].length;
    }
    return at < STILL_READS ? this.#lastUs : this.#lastUs + 1000;
  }

  #begin(on: string, at: number): void {
    this.#close();
    this.#moment = { on, at: max(at, this.#lastUs), reads: [] };
    this.#lastUs = this.#moment.at;
  }

  #close(): void {
    if (this.isPlaying || this.#isOver || this.#noted >= tapeMomentLimits.moments) return;
    this.#noted += 1;
    const { on, at, reads } = this.#moment;
    this.#buffer.push([on, at, reads]);
  }

  #flush(): void {
    if (this.#buffer.length === 0 || this.#isOver) return;
    const moments = this.#buffer;
    this.#buffer = [];
    while (moments.length > 0) this.#link.note(moments.splice(0, tapeMomentLimits.atOnce));
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#turn(TURNS);
  }

  #turn(left: number): void {
    later(() => {
      if (left > 1) {
        this.#turn(left - 1);
        return;
      }
      this.#isPumping = false;
      if (this.#played === undefined) this.#takeNext();
      else this.#playNext(this.#played, false);
    });
  }

  #takeNext(): void {
    const next = this.#deliveries.shift();
    if (next === undefined) return;
    if (!this.#isOver) this.#begin(next.on ?? "", this.#realUs());
    next.deliver();
    if (this.#deliveries.length > 0) this.#pump();
  }

  #playNext(played: readonly TapeMoment[], hasWaited: boolean): void {
    const unknown = this.#deliveries.findIndex(
      ({ on, timer }) => on === undefined && timer === undefined,
    );
    if (unknown !== -1) {
      this.#deliveries.splice(unknown, 1)[0]?.deliver();
      this.#pump();
      return;
    }
    // Every answer comes at once: what comes first on the tape can be chosen when all are here.
    if (this.#outstanding > 0) return;
    for (let place = this.#next; place < played.length; place += 1) {
      const on = played[place]?.[0] ?? "";
      if (!this.#isHere(on)) continue;
      if (place > this.#next && played[this.#next]?.[0] !== "" && !hasWaited) {
        this.#wait(played);
        return;
      }
      this.#current = place;
      this.#asked = 0;
      this.#next = place + 1;
      while (played[this.#next]?.[0] === "") this.#next += 1;
      this.#begin(on, played[place]?.[1] ?? 0);
      this.#take(on)?.();
      this.#pump();
      return;
    }
    if (this.#next < played.length && !hasWaited && this.#deliveries.length > 0) this.#wait(played);
    else this.#playRest();
  }

  /** What the tape has passed already, or never had: timers for which the recorded run did not wait come last. */
  #playRest(): void {
    const answer = this.#deliveries.findIndex(({ timer }) => timer === undefined);
    const [next] = this.#deliveries.splice(Math.max(answer, 0), 1);
    if (next !== undefined) {
      next.deliver();
      this.#pump();
      return;
    }
    const [name] = this.#timers.keys();
    if (name === undefined) return;
    this.#take(name)?.();
    this.#pump();
  }

  /** Work of Node itself, such as zlib's, may lead to what the tape has next. */
  #wait(played: readonly TapeMoment[]): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    startTimer(() => {
      this.#isWaiting = false;
      this.#playNext(played, true);
    }, GRACE_MS);
  }

  #isHere(on: string): boolean {
    if (on === "") return false;
    return this.#timers.has(on) || this.#deliveries.some((delivery) => delivery.on === on);
  }

  /** What a moment of the tape stands for. */
  #take(on: string): (() => void) | undefined {
    const place = this.#deliveries.findIndex((delivery) => delivery.on === on);
    if (place !== -1) return this.#deliveries.splice(place, 1)[0]?.deliver;
    const fire = this.#timers.get(on);
    this.#timers.delete(on);
    return fire;
  }
}

/** Whole milliseconds since 1970. */
export function toDateMs(timeMs: number): number {
  return min(floor(timeMs), new RealDate(8.64e15).getTime());
}
