import { readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second, regardless of its own clock. */
const MS_PER_TICK = 10;
const MAX_WRAPPERS = 8;

/** CPU time of a program that may run below wrappers, in ms; undefined where the system has no /proc. */
export function readCpuMs(pid: number): number | undefined {
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
