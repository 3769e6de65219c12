import type { ChildProcess } from "node:child_process";
import type { RunError } from "@jackfield/contract/runtime";
import { ENDED_BY_ANOTHER, type Ending, presentEnding, presentWait } from "./ending.ts";
import { FunctionChild } from "./function-child.ts";
import { watchMemory } from "./memory-watch.ts";
import { ABORTED, PendingRun } from "./pending-run.ts";
import type { SandboxLog, SandboxOutcome, SandboxRun } from "./types.ts";

const MAX_SHARED_RUNS = 16;
/** Processes for each further depth of nested runs, as a share of those for the first. */
const NESTED_SHARE = 0.25;
/** Past this wait of an older run, younger ones no longer join busy processes before it. */
const STARVING_MS = 2000;
/** How long an unused process stays when there are no more than `maxIdle`. */
const REST_MS = 5 * 60_000;

export interface PoolOptions {
  readonly maxChildren: number;
  readonly maxIdle: number;
  /** How long unused processes beyond `maxIdle` stay. */
  readonly surplusMs: number;
  readonly heapMb: number;
  /** Resident memory that ends a process; absent where the kernel enforces a limit. */
  readonly watchedBytes?: number;
  launch(): ChildProcess;
  readonly log: SandboxLog;
}

/** Gives runs to processes: a warm one of the same bundle, a fresh one, or a place in the queue. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #children = new Set<FunctionChild>();
  #waiting: PendingRun[] = [];
  #trimTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get childCount(): number {
    return this.#children.size;
  }

  get idleCount(): number {
    return this.#children
      .values()
      .filter((child) => child.isIdle)
      .toArray().length;
  }

  async run(run: SandboxRun): Promise<SandboxOutcome> {
    if (run.signal?.aborted === true || this.#isClosed) return { kind: "failed", error: ABORTED };
    const pending = new PendingRun(run);
    const leaveQueue = () => this.#giveUp(pending, ABORTED);
    run.signal?.addEventListener("abort", leaveQueue, { once: true });
    this.#waiting.push(pending);
    this.#dispatch();
    const startTimer = this.#limitWait(pending);
    const outcome = await pending.outcome;
    clearTimeout(startTimer);
    run.signal?.removeEventListener("abort", leaveQueue);
    return outcome;
  }

  /** Ends a run that has no process yet; no other. */
  #giveUp(pending: PendingRun, error: RunError): void {
    if (!this.#waiting.includes(pending)) return;
    this.#waiting = this.#waiting.filter((other) => other !== pending);
    pending.fail(error);
  }

  #limitWait(pending: PendingRun): NodeJS.Timeout | undefined {
    const { startTimeoutMs } = pending.run;
    if (startTimeoutMs === undefined || !this.#waiting.includes(pending)) return undefined;
    return setTimeout(() => this.#giveUp(pending, presentWait(startTimeoutMs)), startTimeoutMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#trimTimer);
    for (const pending of this.#waiting.splice(0)) pending.fail(ABORTED);
    const children = [...this.#children];
    for (const child of children) child.end({ kind: "closed" });
    await Promise.all(children.map((child) => child.waitUntilGone()));
  }

  #dispatch(): void {
    const now = performance.now();
    let places = this.#children
      .values()
      .filter((child) => child.isEnding)
      .toArray().length;
    let isStarving = false;
    const placed = new Set<PendingRun>();
    for (const pending of this.#waiting) {
      const isNested = pending.depth > 0;
      if (this.#tryPlace(pending, isStarving && !isNested)) {
        placed.add(pending);
        continue;
      }
      if (isStarving || isNested) continue;
      if (places > 0) places -= 1;
      else if (this.#mayStart(pending, this.#countAt(0) - this.idleCount)) this.#evict();
      isStarving = now - pending.queuedAt > STARVING_MS;
    }
    this.#waiting = this.#waiting.filter((pending) => !placed.has(pending));
    this.#trim();
  }

  /** Also true for a run that ended because no process can be started. */
  #tryPlace(pending: PendingRun, mustHoldBack: boolean): boolean {
    try {
      return this.#place(pending, mustHoldBack);
    } catch (error) {
      this.#options.log("sandbox.start_failed", { error });
      pending.fail(presentEnding({ kind: "unstarted", detail: "see the log" }, this.#options));
      return true;
    }
  }

  #place(pending: PendingRun, mustHoldBack: boolean): boolean {
    const warm = this.#find((child) => child.canTake(pending, MAX_SHARED_RUNS));
    if (warm !== undefined && !mustHoldBack && this.#mayOccupy(pending)) {
      warm.assign(pending);
      return true;
    }
    if (mustHoldBack || !this.#mayOccupy(pending)) return false;
    const generic = this.#find((child) => child.isGeneric);
    const isWithin = generic !== undefined && pending.depth === 0;
    if (!isWithin && !this.#mayStart(pending, this.#countAt(pending.depth))) return false;
    (generic ?? this.#start()).assign(pending);
    return true;
  }

  /** Processes whose runs are at this depth; idle ones count among those that no function waits for. */
  #countAt(depth: number): number {
    return this.#children
      .values()
      .filter((child) => child.depth === depth)
      .toArray().length;
  }

  /** Long exclusive runs leave one process to the short shared ones. */
  #mayOccupy(pending: PendingRun): boolean {
    if (pending.depth > 0) return true;
    if (!pending.exclusive || this.#options.maxChildren === 1) return true;
    const exclusive = this.#children.values().filter((child) => child.hasExclusiveRun);
    return exclusive.toArray().length < this.#options.maxChildren - 1;
  }

  #mayStart(pending: PendingRun, existing: number): boolean {
    const { maxChildren } = this.#options;
    // Runs of one depth wait for deeper ones only: with a share for each depth nobody waits in a circle.
    if (pending.depth > 0) return existing < Math.ceil(maxChildren * NESTED_SHARE);
    return existing < maxChildren && this.#mayOccupy(pending);
  }

  #start(): FunctionChild {
    const process = this.#options.launch();
    const child = new FunctionChild(
      process,
      {
        onChange: (changed) => {
          if (changed.isLoaded) this.#keepSpare();
          this.#dispatch();
        },
        onGone: (gone, ending, runs) => this.#onGone(gone, ending, runs),
      },
      this.#options.log,
    );
    this.#children.add(child);
    if (this.#options.watchedBytes !== undefined && process.pid !== undefined) {
      const stop = watchMemory(process.pid, this.#options.watchedBytes, () => {
        child.end({ kind: "memory" });
      });
      process.once("close", stop);
    }
    return child;
  }

  /** While functions run, one process stands ready that has loaded nothing yet. */
  #keepSpare(): void {
    const { maxChildren, maxIdle } = this.#options;
    if (this.#isClosed || this.#countAt(0) >= maxChildren || maxIdle === 0) return;
    if (this.#find((child) => child.isGeneric) === undefined) this.#start();
  }

  #onGone(child: FunctionChild, ending: Ending, runs: readonly PendingRun[]): void {
    this.#children.delete(child);
    if (ending.kind !== "closed") {
      const { kind } = ending;
      const reason = "reason" in ending ? ending.reason : undefined;
      this.#options.log("sandbox.child_ended", { kind, reason, runs: runs.length });
    }
    const again: PendingRun[] = [];
    for (const pending of runs) {
      const isSuspect = !("runId" in ending) || ending.runId === pending.id;
      const mayRepeat = ending.kind !== "closed" && ending.kind !== "load";
      const isKnown = "runId" in ending ? isSuspect : runs.length === 1;
      if (mayRepeat && !isKnown && !pending.hasWritten && pending.attempts === 1) {
        // Alone the second time: whichever run ends processes can then only end its own.
        if (isSuspect) pending.exclusive = true;
        again.push(pending);
      } else if (isSuspect) {
        pending.fail(presentEnding(ending, this.#options));
      } else {
        pending.fail(ENDED_BY_ANOTHER);
      }
    }
    const isAborted = (pending: PendingRun) => pending.run.signal?.aborted === true;
    for (const pending of again.filter(isAborted)) pending.fail(ABORTED);
    this.#waiting.unshift(...again.filter((pending) => !isAborted(pending)));
    if (!this.#isClosed) this.#dispatch();
  }

  /** Frees the memory of the process that has gone unused the longest, for a run of another bundle. */
  #evict(): void {
    this.#idleChildren()[0]?.end({ kind: "closed" });
  }

  /** Ends processes that have been idle for long, and sets a timer for the next one due. */
  #trim(): void {
    clearTimeout(this.#trimTimer);
    if (this.#isClosed) return;
    const now = performance.now();
    const idle = this.#idleChildren();
    const surplus = idle.length - this.#options.maxIdle;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [index, child] of idle.entries()) {
      const leftMs = child.lastUsedAt + (index < surplus ? this.#options.surplusMs : REST_MS) - now;
      if (leftMs <= 0 || child.isWorn) child.end({ kind: "closed" });
      else nextMs = Math.min(nextMs, leftMs);
    }
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#trimTimer = setTimeout(() => this.#trim(), nextMs).unref();
  }

  /** Least valuable first: by last use, the fresh spare at the end. */
  #idleChildren(): FunctionChild[] {
    return this.#children
      .values()
      .filter((child) => child.isIdle)
      .toArray()
      .toSorted((a, b) => Number(a.isGeneric) - Number(b.isGeneric) || a.lastUsedAt - b.lastUsedAt);
  }

  #find(matches: (child: FunctionChild) => boolean): FunctionChild | undefined {
    return this.#children.values().find(matches);
  }
}
