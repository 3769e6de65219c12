import { readFileSync } from "node:fs";

/** Memory of a process in MB: now, and at its highest; NaN where the system does not tell. */
export function readMemoryMb(processId: number): { now: number; peak: number } {
  try {
    const text = readFileSync(`/proc/${processId}/status`, "latin1");
    const read = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
    return { now: read("VmRSS"), peak: read("VmHWM") };
  } catch {
    return { now: Number.NaN, peak: Number.NaN };
  }
}
