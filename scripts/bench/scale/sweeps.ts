import { slices } from "../../../packages/server/src/app.ts";
import type { SystemContext } from "../../../packages/server/src/foundation/index.ts";
import { countReads } from "../../../packages/server/src/foundation/testing/count-reads.ts";
import { ensureDayPartitions } from "../../../packages/server/src/process/ensure-day-partitions.ts";
import { allOf } from "../../../packages/server/src/slice/index.ts";
import { createKeyedWork } from "../../../packages/server/src/tasks/index.ts";
import type { BenchRow } from "../meters/row.ts";

interface Sweep {
  readonly name: string;
  readonly run: (ctx: SystemContext) => Promise<unknown>;
}

/** What each loop reads when it looks for due work, and what each chore of the day does, alone, with nothing to do. */
export async function measureSweeps(ctx: SystemContext): Promise<BenchRow[]> {
  const works = [
    createKeyedWork(allOf(slices, "keyedTasks")),
    ...allOf(slices, "due").map((createWork) => createWork()),
  ];
  const periodic = works.map((work) => ({
    name: `look for ${work.name}`,
    run: async (ctx: SystemContext) => await work.claim(ctx, () => {}),
  }));
  const daily = [ensureDayPartitions, ...allOf(slices, "daily")].map((run) => ({
    name: `each day ${run.name}`,
    run,
  }));
  // The first run of the day does what has waited; the second shows what a day costs in which nothing does.
  for (const { run } of daily) await run(ctx);
  const rows: BenchRow[] = [];
  for (const sweep of [...periodic, ...daily]) rows.push(await measureSweep(ctx, sweep));
  for (const work of works) await work.drain?.();
  return rows;
}

async function measureSweep(ctx: SystemContext, { name, run }: Sweep): Promise<BenchRow> {
  let ms = Number.NaN;
  const reads = await countReads(ctx, "%", async (ctx) => {
    const startedAt = performance.now();
    await run(ctx);
    ms = performance.now() - startedAt;
  });
  return {
    ...{ name: `scale: ${name}`, value: ms, unit: "ms" },
    note: `${reads.toLocaleString("en")} rows read`,
  };
}
