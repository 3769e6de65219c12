// Bars of CPU time were set on one machine. What is held against them is divided by how much slower this machine is
// at that moment, so that they tell of the code, not of the machine and what else it does.

/** CPU time of the works below where the bars were set: two cores of 2026, half busy. */
const USUAL_MS = { computing: 20, memory: 25 };
const ROUNDS = 10;
/** More than the C library keeps for later, so that the kernel has to give each of its pages. */
const FRESH_BYTES = 40 * 2 ** 20;
const PAGE_BYTES = 4096;
/** Within any bar on any machine, and finding out how slow this one is takes longer. */
const SMALL_MS = 20;

// Process-wide: its compiler knows the work after some rounds.
let warmed = 0;

const rows = JSON.stringify(
  Array.from({ length: 5000 }, (_, n) => ({ id: n, name: "Ada", mail: `${n}@example.com` })),
);

/** Reads, copies and writes, which is what servers do with bodies. */
function work(): number {
  const items: { id: number; name: string; mail: string }[] = JSON.parse(rows);
  const copies = items.map((item) => ({ ...item, key: `${item.name}-${item.mail}`.toUpperCase() }));
  return Buffer.from(JSON.stringify(copies)).byteLength;
}

/** Takes memory that this process did not have: some machines take ten times as long as others to give it. */
function takeMemory(): void {
  const fresh = Buffer.alloc(FRESH_BYTES);
  for (let at = 0; at < fresh.length; at += PAGE_BYTES) fresh[at] = 1;
}

/**
 * How many times as long as usual this thread takes for the same work, and 1 at least: computing or taking memory,
 * whichever is slower. Ask right after what is measured: a machine is not equally busy at all times.
 */
export function slowness(): number {
  for (; warmed < ROUNDS; warmed += 1) work();
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) work();
  const computing = since(before);
  const computed = process.threadCpuUsage();
  takeMemory();
  return Math.max(1, computing / USUAL_MS.computing, since(computed) / USUAL_MS.memory);
}

/** CPU time of the calling thread, in milliseconds of the usual machine; small times as they were. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const ms = since(before);
  return ms < SMALL_MS ? ms : ms / slowness();
}

/** CPU time of the calling thread, in milliseconds of the usual machine. */
export interface Cost {
  readonly all: number;
  /** The longest iteration of its event loop. */
  readonly longestBlockMs: number;
}

/** What the work costs. Watching the event loop costs as well: `all` holds that too where they are watched. */
export async function costOf(work: () => Promise<unknown>, watchesBlocks: boolean): Promise<Cost> {
  const before = process.threadCpuUsage();
  let last = before;
  let longestBlockMs = 0;
  let isOver = !watchesBlocks;
  const turn = (): void => {
    longestBlockMs = Math.max(longestBlockMs, since(last));
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  if (watchesBlocks) setImmediate(turn);
  await work();
  isOver = true;
  const all = since(before);
  const times = slowness();
  return { all: Math.round(all / times), longestBlockMs: Math.round(longestBlockMs / times) };
}

/** Keeps the thread for as much time of a processor. */
export function spendCpu(ms: number): void {
  const before = process.threadCpuUsage();
  while (since(before) < ms);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
