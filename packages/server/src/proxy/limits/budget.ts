import { MINUTE, SECOND } from "#foundation";

/** What an answer says of a quota of which some is left. */
export interface Allowance {
  /** Calls that the provider still accepts in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
  /** Calls of a whole window, where a header says so. */
  readonly limit: number | undefined;
}

export interface BudgetState {
  /** Calls of a window; undefined while it is not known. */
  readonly limit: number | undefined;
  /** Calls that are left of it; undefined while it is not known. */
  readonly remaining: number | undefined;
  /** When the window ends, in milliseconds since 1970; undefined while it is not known. */
  readonly resetsAt: number | undefined;
  readonly isUsedUp: boolean;
}

// The first call of a window goes alone: what it brings back says how many may follow.
const FIRST_ANSWER_MS = 2 * SECOND;
// Providers round the end of a window to seconds.
const SAME_WINDOW_MS = 1.5 * SECOND;
const SHORTEST_WINDOW_MS = 50;
const LONGEST_WINDOW_MS = 60 * MINUTE;
const CLEAN_WINDOWS = 10;
const GUESS_GROWTH = 1.25;
const GROWTH = 1.05;
const MEMORY_MS = 10 * MINUTE;

interface Window {
  readonly from: number;
  /** Undefined while nothing says when it ends. */
  until: number | undefined;
  sent: number;
  accepted: number;
  /** The least that an answer said is left: answers may overtake one another. */
  lowest: number | undefined;
  /** What was left at the first answer that said so, and the calls sent until then. */
  highest: number | undefined;
  sentBefore: number;
}

/**
 * How many calls of one quota may be sent now. Learned from headers that tell what is left; without them, from how many
 * calls a whole window took before the provider refused one. Times in milliseconds since 1970.
 */
export class Budget {
  #blockedUntil = 0;
  /** When it was last used up; undefined while the provider has never said so. */
  #usedUpAt: number | undefined;
  #inFlight = 0;
  #limit: number | undefined;
  #windowMs = 0;
  #cleanWindows = 0;
  /** The limit was counted in a window of which others may have used a part. */
  #isGuess = false;
  /** Calls of the window in which the quota was used up are still being answered. */
  #isCounting = false;
  #hasHeaders = false;
  #hasAnswered = false;
  #window: Window;

  constructor(nowMs: number) {
    this.#window = openWindow(nowMs, undefined);
  }

  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  /** Calls of a window; undefined while it is not known. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Length of a window; 0 while it is not known. */
  get windowMs(): number {
    return this.#windowMs;
  }

  /** What is known of the window that `nowMs` lies in. */
  describe(nowMs: number): BudgetState {
    const { lowest, sent, until } = this.#roll(nowMs);
    const isUsedUp = nowMs < this.#blockedUntil;
    const counted =
      this.#limit === undefined || until === undefined ? undefined : this.#limit - sent;
    const left = lowest === undefined ? counted : lowest - this.#inFlight;
    return {
      limit: this.#limit,
      remaining: isUsedUp ? 0 : left && Math.max(0, left),
      resetsAt: isUsedUp ? this.#blockedUntil : until,
      isUsedUp,
    };
  }

  /** Calls that may be sent now, where `processes` use the quota alike. */
  room(nowMs: number, processes = 1): number {
    if (nowMs < this.#blockedUntil) return 0;
    const window = this.#roll(nowMs);
    const isNew = window.accepted === 0 && nowMs - window.from < FIRST_ANSWER_MS;
    if (window.lowest !== undefined) {
      const left = window.lowest - this.#inFlight;
      // Calls of other processes are on their way, too: none sends more than its part of the window.
      const part = Math.floor((window.highest ?? 0) / processes) + window.sentBefore - window.sent;
      return Math.max(0, processes === 1 ? left : Math.min(left, part));
    }
    if (this.#usedUpAt === undefined && !this.#hasHeaders) {
      const isFirst = !this.#hasAnswered && isNew;
      return isFirst ? Math.max(0, 1 - this.#inFlight) : Number.POSITIVE_INFINITY;
    }
    if (this.#hasHeaders && isNew) return Math.max(0, 1 - this.#inFlight);
    if (this.#limit !== undefined && window.until !== undefined) {
      return Math.max(0, Math.max(1, Math.floor(this.#limit / processes)) - window.sent);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** When there may be room without an answer; undefined when only an answer makes some. */
  nextAt(nowMs: number): number | undefined {
    if (nowMs < this.#blockedUntil) return this.#blockedUntil;
    const { from, until, accepted } = this.#window;
    const firstEnds = accepted === 0 ? from + FIRST_ANSWER_MS : 0;
    const times = [firstEnds, until ?? 0].filter((at) => at > nowMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  sent(nowMs: number): void {
    this.#roll(nowMs);
    this.#window.sent += 1;
    this.#inFlight += 1;
  }

  /** The end of a call that was counted by `sent`; `isAccepted` where the provider took it. */
  ended(isAccepted: boolean): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (!isAccepted) return;
    this.#hasAnswered = true;
    this.#window.accepted += 1;
    if (this.#isCounting) this.#limit = this.#window.accepted;
  }

  note({ remaining, resetMs, limit }: Allowance, nowMs: number): void {
    this.#hasHeaders = true;
    if (limit !== undefined && limit > 0) this.#limit = limit;
    const until = nowMs + Math.min(resetMs, LONGEST_WINDOW_MS);
    const window = this.#roll(nowMs);
    const isLater = window.until !== undefined && until > window.until + SAME_WINDOW_MS;
    if (isLater) {
      const begun = { accepted: window.accepted, lowest: remaining, highest: remaining };
      this.#window = { ...openWindow(nowMs, until), ...begun };
      return;
    }
    if (window.highest === undefined) {
      window.highest = remaining;
      window.sentBefore = window.sent;
    }
    window.lowest = Math.min(window.lowest ?? remaining, remaining);
    window.until = Math.max(window.until ?? 0, until);
  }

  /** The provider takes no calls until then. */
  useUp(untilMs: number, nowMs: number, limit?: number): void {
    if (untilMs <= this.#blockedUntil) return;
    const isLonger = nowMs < this.#blockedUntil;
    const { from, accepted } = this.#roll(nowMs);
    this.#blockedUntil = untilMs;
    this.#windowMs = clamp(Math.max(this.#windowMs, untilMs - nowMs));
    if (limit !== undefined) this.#limit = limit;
    if (isLonger) return;
    // Only a window that began here shows how many calls it takes, and how long it is.
    const isWhole = this.#usedUpAt !== undefined && accepted > 0;
    this.#windowMs = clamp(isWhole ? untilMs - from : untilMs - nowMs);
    this.#usedUpAt = nowMs;
    this.#cleanWindows = 0;
    if (limit !== undefined || this.#hasHeaders) return;
    this.#isGuess = !isWhole;
    this.#isCounting = accepted > 0;
    this.#limit = Math.max(1, accepted);
  }

  /** The window that `nowMs` lies in. */
  #roll(nowMs: number): Window {
    const { from, until, sent } = this.#window;
    const isBlockOver = from < this.#blockedUntil && nowMs >= this.#blockedUntil;
    if (!isBlockOver && (until === undefined || nowMs < until)) return this.#window;
    this.#isCounting = false;
    const isFull = this.#limit !== undefined && sent >= this.#limit && !isBlockOver;
    if (isFull && !this.#hasHeaders) this.#tryMore();
    const memoryMs = Math.max(MEMORY_MS, CLEAN_WINDOWS * this.#windowMs);
    if (this.#usedUpAt !== undefined && nowMs - this.#usedUpAt > memoryMs) this.#forget();
    const isPaced = this.#usedUpAt !== undefined && this.#windowMs > 0;
    this.#window = openWindow(nowMs, isPaced ? nowMs + this.#windowMs : undefined);
    return this.#window;
  }

  /** A counted limit was kept to and not refused: quotas grow, and what was counted may be too little. */
  #tryMore(): void {
    this.#cleanWindows += 1;
    if (this.#limit === undefined || (!this.#isGuess && this.#cleanWindows < CLEAN_WINDOWS)) return;
    this.#limit = Math.ceil(this.#limit * (this.#isGuess ? GUESS_GROWTH : GROWTH));
    this.#cleanWindows = 0;
  }

  #forget(): void {
    this.#usedUpAt = undefined;
    if (!this.#hasHeaders) this.#limit = undefined;
  }
}

function openWindow(from: number, until: number | undefined): Window {
  return {
    from,
    until,
    sent: 0,
    accepted: 0,
    lowest: undefined,
    highest: undefined,
    sentBefore: 0,
  };
}

function clamp(ms: number): number {
  return Math.min(LONGEST_WINDOW_MS, Math.max(SHORTEST_WINDOW_MS, ms));
}
