import type { ChildProcess } from "node:child_process";
import type { FromChild, RuntimeMethod } from "@jackfield/contract/runtime";
import { LRUCache } from "lru-cache";
import { killLaunched } from "../launch/launch.ts";
import type { Call, SandboxLog } from "../types.ts";
import { answerCall } from "./answer-call.ts";
import { Channel } from "./channel.ts";
import { type Ending, toEnding, toUnstarted } from "./ending.ts";
import { isRepeatable } from "./is-repeatable.ts";
import { NestedCalls } from "./nested-calls.ts";
import { ABORTED, type PendingRun } from "./pending-run.ts";
import { StderrTail } from "./stderr-tail.ts";
import { toOutcome } from "./to-outcome.ts";

const CANCEL_GRACE_MS = 2000;
const START_TIMEOUT_MS = 20_000;
/** How long after its end a process's last output is waited for. */
const CLOSE_TIMEOUT_MS = 1000;
/** Calls of one process that the host works on at once; past either it stops reading. */
const MAX_CALLS = 64;
const MAX_CALL_BYTES = 128 * 1024 * 1024;
/** The one call that waits for another run. */
const WAITS_FOR_RUN: RuntimeMethod = "triggerAction";
const REMEMBERED_RUNS = 100;

export interface ChildEvents {
  /** A run ended, or the process became ready or loaded. */
  onChange(child: FunctionChild): void;
  /** The process is gone; `runs` have no outcome yet. */
  onGone(child: FunctionChild, ending: Ending, runs: readonly PendingRun[]): void;
}

interface ActiveRun {
  readonly pending: PendingRun;
  readonly callIds: Set<string>;
  isSent: boolean;
  /** Actions that it waits for. */
  nestedCalls: number;
  timers: NodeJS.Timeout[];
  stopListening: () => void;
}

/**
 * One function process: it serves one bundle of one environment, from its first run to its end, and one connection at
 * a time.
 */
export class FunctionChild {
  readonly process: ChildProcess;
  key: string | undefined;
  /** Whose runs it has, or had last. */
  connection: string | undefined;
  #environmentId = "";
  lastUsedAt: number = performance.now();
  /** When it was asked for a sign of life that it has not given yet. */
  owesSince: number | undefined;
  readonly #events: ChildEvents;
  readonly #log: SandboxLog;
  readonly #channel: Channel;
  readonly #runs = new Map<string, ActiveRun>();
  readonly #endedRunIds = new LRUCache<string, true>({ max: REMEMBERED_RUNS });
  readonly #gone = Promise.withResolvers<void>();
  #state: "starting" | "ready" | "loading" | "loaded" | "cleaning" | "ending" | "gone" = "starting";
  #ending: Ending | undefined;
  #served = 0;
  readonly #runsOfALife: number;
  #callsInFlight = 0;
  #callBytesInFlight = 0;
  readonly #nested = new NestedCalls();

  constructor(
    process: ChildProcess,
    events: ChildEvents,
    { log, runsOfALife }: { log: SandboxLog; runsOfALife: number },
  ) {
    this.process = process;
    this.#runsOfALife = runsOfALife;
    this.#events = events;
    this.#log = log;
    const startTimer = setTimeout(() => {
      if (this.#state !== "starting") return;
      const detail = `not ready after ${START_TIMEOUT_MS / 1000} s`;
      this.end({ kind: "unstarted", detail, isSlow: true });
    }, START_TIMEOUT_MS);
    process.on("error", (error) => {
      if (process.pid === undefined) this.#finish({ kind: "unstarted", detail: error.message });
    });
    const stderr = new StderrTail(process.stderr);
    this.#channel = new Channel(
      process,
      {
        onMessage: (message, body, release) => void this.#receive(message, body).finally(release),
        onBroken: (reason) => this.end({ kind: "protocol", reason }),
      },
      { environmentId: () => this.#environmentId },
    );
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      this.#finish(toEnding(code, signal, stderr.text));
    };
    process.once("exit", () => {
      clearTimeout(startTimer);
      if (this.#state === "starting") killLaunched(process);
      stderr.drain();
      this.#channel.resume();
      setTimeout(() => finish(process.exitCode, process.signalCode), CLOSE_TIMEOUT_MS).unref();
    });
    // "close" comes after the last byte of stderr and of the channel was read.
    process.once("close", finish);
  }

  /** How many functions wait for what it does; an idle process belongs to the first level. */
  get depth(): number {
    return this.#runs.values().next().value?.pending.depth ?? 0;
  }

  /** Whose runs it serves; an idle process is nobody's. */
  get environmentId(): string | undefined {
    return this.#runs.size === 0 ? undefined : this.#environmentId;
  }

  get isGeneric(): boolean {
    return this.key === undefined && this.#isUsable;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0 && this.#isUsable;
  }

  get isEnding(): boolean {
    return this.#state === "ending";
  }

  get hasExclusiveRun(): boolean {
    return this.#runs.values().some((active) => active.pending.exclusive);
  }

  /** Whether it has served so many runs that what they left behind is worth a new process. */
  get isWorn(): boolean {
    return this.#served >= this.#runsOfALife;
  }

  get isLoaded(): boolean {
    return this.#state === "loaded";
  }

  get #isUsable(): boolean {
    return this.#state !== "ending" && this.#state !== "gone";
  }

  /** Whether it may take this run now; a process is never given to a second key. */
  canTake(pending: PendingRun, maxShared: number): boolean {
    if (this.key !== pending.key || !this.#isUsable || this.isWorn) return false;
    if (this.#runs.size === 0) return true;
    if (pending.exclusive || this.hasExclusiveRun) return false;
    return this.isFor(pending) && this.#runs.size < maxShared;
  }

  /** Whether it has served this connection last, and need not be cleaned for it. */
  isFor(pending: PendingRun): boolean {
    return this.key === pending.key && this.connection === pending.run.connection;
  }

  /** Asks for a sign of life, unless it owes one. */
  ping(): void {
    if (this.owesSince !== undefined) return;
    this.owesSince = performance.now();
    void this.#channel.send({ op: "ping" });
  }

  assign(pending: PendingRun): void {
    const { run } = pending;
    const isOther = this.connection !== undefined && !this.isFor(pending);
    this.key = pending.key;
    this.connection = pending.run.connection;
    this.#environmentId = run.environmentId;
    this.#served += 1;
    pending.assign(this.isLoaded || this.#state === "cleaning");
    const onAbort = () => this.#cancel(pending.id);
    const timeout = setTimeout(() => {
      this.end({ kind: "timeout", runId: pending.id, timeoutMs: run.timeoutMs });
    }, run.timeoutMs);
    run.signal?.addEventListener("abort", onAbort, { once: true });
    this.#runs.set(pending.id, {
      pending,
      callIds: new Set(),
      isSent: false,
      nestedCalls: 0,
      timers: [timeout],
      stopListening: () => run.signal?.removeEventListener("abort", onAbort),
    });
    if (this.#state === "ready") this.#load();
    else if (this.#state === "loaded" && isOther) this.#clean();
    else if (this.#state === "loaded") this.#sendRuns();
  }

  /** Kills the process; its runs learn `ending`, unless another reason came first. */
  end(ending: Ending): void {
    if (!this.#isUsable) return;
    this.#ending = ending;
    this.#state = "ending";
    killLaunched(this.process);
    this.#channel.close();
  }

  async waitUntilGone(): Promise<void> {
    await this.#gone.promise;
  }

  /** Resolves when the body is no longer used. */
  async #receive(message: FromChild, body: Uint8Array): Promise<void> {
    if (!this.#isUsable) return;
    switch (message.op) {
      case "ready":
        this.#onReady();
        break;
      case "loaded":
        this.#onLoaded();
        break;
      case "load-failed":
        if (this.#state === "loading") this.end({ kind: "load", error: message.error });
        else this.#breach("a second load");
        break;
      case "cleaned":
      case "unclean":
        this.#onCleaned(message);
        break;
      case "pong":
        this.owesSince = undefined;
        break;
      case "call":
        await this.#call(message, body);
        break;
      case "done":
      case "failed":
        this.#settle(message, body);
        break;
    }
  }

  #onReady(): void {
    if (this.#state === "starting") {
      this.#state = "ready";
      if (this.#runs.size > 0) this.#load();
      this.#events.onChange(this);
    } else {
      this.#breach("a second start");
    }
  }

  #onLoaded(): void {
    if (this.#state === "loading") {
      this.#state = "loaded";
      this.#sendRuns();
      this.#events.onChange(this);
    } else {
      this.#breach("a second load");
    }
  }

  #clean(): void {
    this.#state = "cleaning";
    this.ping();
    void this.#channel.send({ op: "clean" });
  }

  #onCleaned(message: Extract<FromChild, { op: "cleaned" | "unclean" }>): void {
    if (this.#state !== "cleaning") {
      this.#breach("an unexpected cleaning");
    } else if (message.op === "unclean") {
      this.end({ kind: "unfit", reason: `not clean: ${message.reason}` });
    } else {
      this.#state = "loaded";
      this.#sendRuns();
      this.#events.onChange(this);
    }
  }

  #load(): void {
    const first = this.#runs.values().next().value;
    if (first === undefined) return;
    this.#state = "loading";
    const { filename, code } = first.pending.run.bundle;
    void this.#channel.send({ op: "load", filename }, Buffer.from(code));
  }

  #sendRuns(): void {
    // What an earlier run left may keep it busy; the answer comes before the run begins.
    if (this.#served > 1 && this.#runs.size === 1) this.ping();
    for (const active of this.#runs.values()) {
      if (active.isSent) continue;
      active.isSent = true;
      void this.#channel.send(active.pending.begin(), active.pending.run.input);
    }
  }

  async #call(message: Extract<FromChild, { op: "call" }>, body: Uint8Array): Promise<void> {
    const { runId, callId, method, params } = message;
    const active = this.#runs.get(runId);
    // A function that returned while a call of its own was under way is careless, not hostile.
    if (this.#endedRunIds.has(runId)) return;
    const isFree = active?.isSent === true && !active.callIds.has(callId);
    if (!isFree) {
      this.#breach("a call of no run, or with a number in use");
      return;
    }
    active.callIds.add(callId);
    if (!isRepeatable(method, params)) active.pending.hasWritten = true;
    const call = { method, params, body };
    // What a nested action needs is room for frames of its own: with this one's kept, both might wait for ever.
    if (method === WAITS_FOR_RUN) void this.#answerNested(active, callId, call);
    else await this.#answer(active, callId, call);
  }

  async #answer(active: ActiveRun, callId: string, call: Call): Promise<void> {
    this.#countCall(1, call.body.byteLength);
    await this.#send(active, callId, call);
    this.#countCall(-1, -call.body.byteLength);
  }

  /** What it waits for may run in this very process, which therefore is read on; past the limit it is refused. */
  async #answerNested(active: ActiveRun, callId: string, call: Call): Promise<void> {
    const error = this.#nested.refuse(active.nestedCalls, call.body.byteLength);
    if (error !== undefined) {
      active.callIds.delete(callId);
      await this.#channel.send({ op: "failure", callId, error });
      return;
    }
    active.nestedCalls += 1;
    this.#nested.add(call.body.byteLength);
    await this.#send(active, callId, call);
    active.nestedCalls -= 1;
    this.#nested.remove(call.body.byteLength);
  }

  async #send(active: ActiveRun, callId: string, call: Call): Promise<void> {
    const { id, run } = active.pending;
    const answer = await answerCall(run, callId, call, this.#log);
    active.callIds.delete(callId);
    if (this.#runs.has(id)) await this.#channel.send(answer.message, answer.body);
  }

  #countCall(calls: number, bytes: number): void {
    this.#callsInFlight += calls;
    this.#callBytesInFlight += bytes;
    const isFull = this.#callsInFlight >= MAX_CALLS || this.#callBytesInFlight >= MAX_CALL_BYTES;
    const hasExited = this.process.exitCode !== null || this.process.signalCode !== null;
    if (isFull && !hasExited) this.#channel.pause();
    else this.#channel.resume();
  }

  #settle(message: Extract<FromChild, { op: "done" | "failed" }>, body: Uint8Array): void {
    const active = this.#runs.get(message.runId);
    if (this.#endedRunIds.has(message.runId)) return;
    if (active === undefined || !active.isSent) {
      this.#breach("the end of a run that is not here");
      return;
    }
    const { pending } = this.#release(active);
    pending.settle(toOutcome(message, body, pending));
    this.#events.onChange(this);
  }

  #release(active: ActiveRun): ActiveRun {
    for (const timer of active.timers) clearTimeout(timer);
    active.stopListening();
    this.#runs.delete(active.pending.id);
    this.#endedRunIds.set(active.pending.id, true);
    this.lastUsedAt = performance.now();
    return active;
  }

  #cancel(runId: string): void {
    const active = this.#runs.get(runId);
    if (active === undefined) return;
    if (active.isSent) {
      void this.#channel.send({ op: "cancel", runId });
      const kill = setTimeout(() => this.end({ kind: "cancelled", runId }), CANCEL_GRACE_MS);
      active.timers.push(kill);
    } else if (this.#runs.size > 1) {
      this.#release(active).pending.fail(ABORTED);
    } else {
      this.end({ kind: "cancelled", runId });
    }
  }

  #breach(reason: string): void {
    this.end({ kind: "protocol", reason });
  }

  #finish(observed: Ending): void {
    if (this.#state === "gone") return;
    const ending = this.#state === "starting" ? toUnstarted(observed) : observed;
    this.#state = "gone";
    const actives = [...this.#runs.values()];
    for (const active of actives) this.#release(active);
    const runs = actives.map((active) => active.pending);
    this.#events.onGone(this, this.#ending ?? ending, runs);
    this.#gone.resolve();
  }
}
