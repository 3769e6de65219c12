import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { platform } from "node:os";

/**
 * This process, by a name that nothing else will ever have: boot of the machine, process namespace,
 * process id and its start. Others there can tell from it whether the process lives.
 */
export const leaseOwner: string = nameProcess();

function nameProcess(): string {
  const place = namePlace();
  const start = place === undefined ? undefined : findStart(process.pid);
  return start === undefined ? randomUUID() : `${place}:${process.pid}:${start}`;
}

/** Undefined where processes cannot be looked at; their leases then end by time alone. */
function namePlace(): string | undefined {
  if (platform() !== "linux") return undefined;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

/** Whether the owner was a process next to this one and has ended; false when that cannot be known. */
export function isKnownDead(owner: string): boolean {
  const [, place, pid, start] = /^(.*):(\d+):(\d+)$/.exec(owner) ?? [];
  if (place === undefined || place !== namePlace()) return false;
  return findStart(Number(pid)) !== start;
}

/** Ticks from boot to the start of a process that lives; a zombie does not. */
function findStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
