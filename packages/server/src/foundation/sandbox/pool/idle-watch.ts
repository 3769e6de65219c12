import { readFileSync } from "node:fs";
import type { FunctionChild } from "../child/function-child.ts";

const TICK_MS = 1000;
/** Ticks without an answer to one question. Counted in ticks, since a host that is held up reads no answers. */
const MAX_MISSED = 3;
/** A tenth of a core is let pass, and what collecting the memory of a large run takes. */
const FREE_SHARE = 0.1;
const FREE_CPU_MS = 1000;

interface Seen {
  missed: number;
  owesSince: number | undefined;
  excessMs: number;
  last: { readonly atMs: number; readonly cpuMs: number } | undefined;
}

/**
 * Ends processes in which code continues after its run: within 5 s those that no longer answer or take half a core while
 * nothing runs in them.
 */
export class IdleWatch {
  readonly #children: ReadonlySet<FunctionChild>;
  readonly #seen = new WeakMap<FunctionChild, Seen>();
  #timer: NodeJS.Timeout | undefined;

  constructor(children: ReadonlySet<FunctionChild>) {
    this.#children = children;
  }

  /** Watches until there are no processes any more. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#children.size === 0) this.stop();
    for (const child of this.#children) {
      const seen = this.#seen.get(child) ?? {
        missed: 0,
        owesSince: undefined,
        excessMs: 0,
        last: undefined,
      };
      this.#seen.set(child, seen);
      const reason = check(child, seen);
      if (reason !== undefined) child.end({ kind: "unfit", reason });
    }
  }
}

function check(child: FunctionChild, seen: Seen): string | undefined {
  // One that serves many runs owes an answer at most looks, though each time another one.
  const { owesSince } = child;
  const before = owesSince === seen.owesSince ? seen.missed : 0;
  seen.missed = owesSince === undefined ? 0 : before + 1;
  seen.owesSince = owesSince;
  if (seen.missed >= MAX_MISSED) return "it does not answer";
  if (!child.isIdle || !child.isLoaded) {
    seen.last = undefined;
    seen.excessMs = 0;
    return undefined;
  }
  child.ping();
  countCpu(child, seen);
  return seen.excessMs > FREE_CPU_MS ? "it works although nothing runs in it" : undefined;
}

function countCpu({ process: { pid }, lastUsedAt }: FunctionChild, seen: Seen): void {
  const cpuMs = pid === undefined ? undefined : readCpuMs(pid);
  if (cpuMs === undefined) return;
  const now = { atMs: performance.now(), cpuMs };
  // What a run took that came and went since the last look is not counted.
  if (seen.last !== undefined && lastUsedAt <= seen.last.atMs) {
    const usedMs = cpuMs - seen.last.cpuMs;
    const freeMs = FREE_SHARE * (now.atMs - seen.last.atMs);
    seen.excessMs = Math.max(0, seen.excessMs + usedMs - freeMs);
  }
  seen.last = now;
}

/** The kernel counts in hundredths of a second, regardless of its own clock. */
const MS_PER_TICK = 10;
const MAX_WRAPPERS = 8;

/** CPU time of a program that may run below wrappers, in ms; undefined where the system has no /proc. */
function readCpuMs(pid: number): number | undefined {
  try {
    return MS_PER_TICK * readTicks(findInner(pid));
  } catch {
    return undefined;
  }
}

function findInner(pid: number): number {
  let inner = pid;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const [child] = readFileSync(`/proc/${inner}/task/${inner}/children`, "utf8").split(" ");
    if (child === undefined || child.trim() === "") return inner;
    inner = Number(child);
  }
  return inner;
}

/** Time in the program and in the kernel for it; the name before them may hold anything but ends with the last ")". */
function readTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (Number.isNaN(ticks)) throw new Error("an unreadable /proc");
  return ticks;
}
