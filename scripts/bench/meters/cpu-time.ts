import { readdirSync, readFileSync } from "node:fs";

// What Linux counts in, on every machine that Node runs on.
const TICK_MS = 10;

export interface CpuTime {
  /** CPU milliseconds of the process itself; NaN where the system does not tell. */
  readonly ownMs: number;
  /** Of all processes below it, those included that have ended and were waited for. */
  readonly belowMs: number;
}

export function readCpuTime(root: number): CpuTime {
  const parents = new Map<number, number>();
  const used = new Map<number, number>();
  const reaped = new Map<number, number>();
  try {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const fields = readStat(name);
      if (fields === undefined) continue;
      parents.set(Number(name), Number(fields[1]));
      used.set(Number(name), (Number(fields[11]) + Number(fields[12])) * TICK_MS);
      reaped.set(Number(name), (Number(fields[13]) + Number(fields[14])) * TICK_MS);
    }
  } catch {
    return { ownMs: Number.NaN, belowMs: Number.NaN };
  }
  let belowMs = reaped.get(root) ?? 0;
  for (const [id, ms] of used) {
    if (id !== root && isBelow(id, root, parents)) belowMs += ms + (reaped.get(id) ?? 0);
  }
  return { ownMs: used.get(root) ?? Number.NaN, belowMs };
}

/** The fields behind the name, which may hold spaces; undefined for a process that has ended. */
function readStat(id: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function isBelow(id: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (
    let each: number | undefined = id;
    each !== undefined && each > 1;
    each = parents.get(each)
  ) {
    if (each === root) return true;
  }
  return false;
}
