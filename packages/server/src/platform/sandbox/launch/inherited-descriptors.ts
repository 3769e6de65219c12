import { readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;
// Process-wide: the descriptors are.
let known: readonly number[] | undefined;

/**
 * Descriptors that this process inherited open, in ascending order: every process that it starts has them
 * too, unless something else takes their place. Child processes do not get those that Node opens itself.
 */
export function listInherited(): readonly number[] {
  known ??= process.platform === "linux" ? readInherited() : [];
  return known;
}

function readInherited(): number[] {
  const descriptors = readdirSync("/proc/self/fd").map(Number);
  return descriptors
    .filter((descriptor) => descriptor > 2 && isKept(descriptor))
    .sort((a, b) => a - b);
}

function isKept(descriptor: number): boolean {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
    const flags = /^flags:\s+([0-7]+)$/m.exec(text)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
  } catch {
    return false; // it was open only for the listing
  }
}
