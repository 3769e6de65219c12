import type { ChildProcess } from "node:child_process";
import type { RunError } from "@jackfield/contract/runtime";
import { byPriority } from "../../fair-slots/index.ts";
import { type Ending, presentCrowd, presentEnding, presentWait } from "../child/ending.ts";
import { FunctionChild } from "../child/function-child.ts";
import { ABORTED, PendingRun } from "../child/pending-run.ts";
import type { SandboxLog, SandboxOutcome, SandboxRun } from "../types.ts";
import { endRested, listIdle } from "./idle-children.ts";
import { IdleWatch } from "./idle-watch.ts";
import { watchMemory } from "./memory-watch.ts";
import { type Bar, ProcessShares } from "./process-shares.ts";
import { settleEnded } from "./settle-ended.ts";

const MAX_SHARED_RUNS = 16;
/** Then a process is replaced: variables of modules may have grown. */
const RUNS_OF_A_LIFE = 10_000;
const DEFAULT_SHARE = 0.8;
/** Past this wait of an older run, younger ones no longer join busy processes before it. */
const STARVING_MS = 2000;
/** Runs of an environment that may wait with somebody at the other end; each holds its input. */
const MAX_WAITING_CALLS = 1000;

export interface PoolOptions {
  readonly maxChildren: number;
  /** Of them, how many one environment may have at once; default 0.8. */
  readonly environmentShare?: number;
  readonly maxIdle: number;
  /** How long unused processes beyond `maxIdle` stay. */
  readonly surplusMs: number;
  readonly heapMb: number;
  /** How many runs a process serves; 10,000 unless given. */
  readonly runsOfALife?: number;
  /** Processes that are ready while others run; one unless given. */
  readonly spares?: number;
  /** Resident memory that ends a process; absent where the kernel enforces a limit. */
  readonly watchedBytes?: number;
  launch(): ChildProcess;
  readonly log: SandboxLog;
}

/** Gives runs to processes: a warm one of the same bundle, a fresh one, or a slot in the queue. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #children = new Set<FunctionChild>();
  readonly #shares: ProcessShares;
  readonly #idleWatch = new IdleWatch(this.#children);
  #waiting: PendingRun[] = [];
  #trimTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { maxChildren, environmentShare: share = DEFAULT_SHARE } = options;
    this.#shares = new ProcessShares({ maxChildren, share });
  }

  get childCount(): number {
    return this.#children.size;
  }

  get idleCount(): number {
    return this.#count((child) => child.isIdle);
  }

  async run(run: SandboxRun): Promise<SandboxOutcome> {
    if (run.signal?.aborted === true || this.#isClosed) return { kind: "failed", error: ABORTED };
    const pending = new PendingRun(run);
    if (this.#isCrowdedBy(pending)) {
      return { kind: "failed", error: presentCrowd(MAX_WAITING_CALLS) };
    }
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
    return setTimeout(() => {
      const isOwnFault = this.#barOf(pending) === "environment";
      const ceiling = isOwnFault ? this.#shares.ceilingAt(pending.depth) : undefined;
      this.#giveUp(pending, presentWait(startTimeoutMs, ceiling));
    }, startTimeoutMs);
  }

  #isCrowdedBy({ run, environmentId }: PendingRun): boolean {
    if (run.startTimeoutMs === undefined || this.#waiting.length < MAX_WAITING_CALLS) return false;
    const own = this.#waiting.filter((other) => other.environmentId === environmentId);
    return own.length >= MAX_WAITING_CALLS;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idleWatch.stop();
    clearTimeout(this.#trimTimer);
    for (const pending of this.#waiting.splice(0)) pending.fail(ABORTED);
    const children = [...this.#children];
    for (const child of children) child.end({ kind: "closed" });
    await Promise.all(children.map((child) => child.waitUntilGone()));
  }

  #dispatch(): void {
    const now = performance.now();
    let ending = this.#count((child) => child.isEnding);
    let isStarving = false;
    const standBehind = new Set<string>();
    const placed = new Set<PendingRun>();
    // Processes only fill up meanwhile: what one run was refused, those like it are refused too.
    const refused = new Map<string, Bar | "full">();
    for (const pending of this.#listFairly(now)) {
      const { depth, environmentId, queuedAt } = pending;
      const mustHoldBack = depth === 0 && (isStarving || standBehind.has(environmentId));
      if (mustHoldBack) continue;
      const like = `${pending.key} ${pending.exclusive} ${depth}`;
      if (!refused.has(like) && this.#tryPlace(pending)) {
        placed.add(pending);
        continue;
      }
      const reason = refused.get(like) ?? this.#barOf(pending) ?? "full";
      refused.set(like, reason);
      if (depth > 0) continue;
      const hasWaited = now - queuedAt > STARVING_MS;
      // What waits for others of its own environment holds back only that, and long runs no short ones.
      if (reason === "environment" && hasWaited) standBehind.add(environmentId);
      if (reason !== "full") continue;
      if (ending > 0) ending -= 1;
      else this.#evict();
      isStarving = hasWaited;
    }
    this.#waiting = this.#waiting.filter((pending) => !placed.has(pending));
    this.#trim();
  }

  #listFairly(now: number): PendingRun[] {
    if (this.#waiting.length < 2) return this.#waiting;
    const held = new Map<string, number>();
    for (const { environmentId } of this.#children) {
      if (environmentId !== undefined) held.set(environmentId, (held.get(environmentId) ?? 0) + 1);
    }
    const waiting = this.#waiting.map((pending) => {
      return { pending, owner: pending.environmentId, since: pending.queuedAt };
    });
    const ordered = byPriority(waiting, (owner) => held.get(owner) ?? 0, now);
    return ordered.map(({ pending }) => pending);
  }

  /** Also true for a run that ended because no process can be started. */
  #tryPlace(pending: PendingRun): boolean {
    try {
      return this.#place(pending);
    } catch (error) {
      this.#options.log("sandbox.start_failed", { error });
      pending.fail(presentEnding({ kind: "unstarted", detail: "see the log" }, this.#options));
      return true;
    }
  }

  #place(pending: PendingRun): boolean {
    const canTake = (child: FunctionChild) => child.canTake(pending, MAX_SHARED_RUNS);
    const busy = this.#find((child) => !child.isIdle && canTake(child));
    const joined =
      busy ?? (this.#barOf(pending) === undefined ? this.#findIdle(pending) : undefined);
    if (joined !== undefined) {
      joined.assign(pending);
      return true;
    }
    if (this.#barOf(pending) !== undefined) return false;
    const generic = this.#find((child) => child.isGeneric);
    const isWithin = generic !== undefined && pending.depth === 0;
    const isFull = this.#countAt(pending.depth) >= this.#shares.slotsAt(pending.depth);
    if (!isWithin && isFull) return false;
    (generic ?? this.#start()).assign(pending);
    return true;
  }

  /** One that need not be cleaned first, if there is one. */
  #findIdle(pending: PendingRun): FunctionChild | undefined {
    const canTake = (child: FunctionChild) => child.canTake(pending, MAX_SHARED_RUNS);
    return this.#find((child) => child.isFor(pending) && canTake(child)) ?? this.#find(canTake);
  }

  #barOf(pending: PendingRun): Bar | undefined {
    const busy = this.#children.values().filter((child) => child.environmentId !== undefined);
    return this.#shares.barOf(pending, busy.toArray());
  }

  #count(matches: (child: FunctionChild) => boolean): number {
    return this.#children.values().filter(matches).toArray().length;
  }

  /** Processes whose runs are at this depth; idle ones count among those that no function waits for. */
  #countAt(depth: number): number {
    return this.#count((child) => child.depth === depth);
  }

  #start(): FunctionChild {
    const process = this.#options.launch();
    const child = new FunctionChild(
      process,
      {
        onChange: (changed) => {
          if (changed.isLoaded) this.keepSpare();
          this.#dispatch();
        },
        onGone: (gone, ending, runs) => this.#onGone(gone, ending, runs),
      },
      { log: this.#options.log, runsOfALife: this.#options.runsOfALife ?? RUNS_OF_A_LIFE },
    );
    this.#children.add(child);
    this.#idleWatch.start();
    if (this.#options.watchedBytes !== undefined && process.pid !== undefined) {
      const stop = watchMemory(process.pid, this.#options.watchedBytes, () => {
        child.end({ kind: "memory" });
      });
      process.once("close", stop);
    }
    return child;
  }

  /** While functions run, processes are ready that have loaded nothing yet. */
  keepSpare(): void {
    const { maxChildren, maxIdle, spares = 1 } = this.#options;
    if (this.#isClosed || maxIdle === 0) return;
    for (let ready = this.#count((child) => child.isGeneric); ready < spares; ready += 1) {
      if (this.#countAt(0) >= maxChildren) return;
      this.#start();
    }
  }

  #onGone(child: FunctionChild, ending: Ending, runs: readonly PendingRun[]): void {
    this.#children.delete(child);
    if (ending.kind !== "closed") {
      const { kind } = ending;
      const reason = "reason" in ending ? ending.reason : undefined;
      this.#options.log("sandbox.child_ended", { kind, reason, runs: runs.length });
    }
    this.#waiting.unshift(...settleEnded(runs, ending, this.#options));
    if (!this.#isClosed) this.#dispatch();
  }

  /** Frees the memory of the process that has gone unused the longest, for a run of another bundle. */
  #evict(): void {
    listIdle(this.#children)[0]?.end({ kind: "closed" });
  }

  /** Ends processes that have been idle for long, and sets a timer for the next one due. */
  #trim(): void {
    clearTimeout(this.#trimTimer);
    if (this.#isClosed) return;
    const nextMs = endRested(this.#children, this.#options);
    if (nextMs === undefined) return;
    this.#trimTimer = setTimeout(() => this.#trim(), nextMs).unref();
  }

  #find(matches: (child: FunctionChild) => boolean): FunctionChild | undefined {
    return this.#children.values().find(matches);
  }
}
