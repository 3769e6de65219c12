/** CPU time of the calling thread, in milliseconds. */
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
    longestBlockMs = Math.max(longestBlockMs, sum(process.threadCpuUsage(last)));
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  if (watchesBlocks) setImmediate(turn);
  await work();
  isOver = true;
  return { all: sum(process.threadCpuUsage(before)), longestBlockMs };
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return Math.round((user + system) / 1000);
}
