import type { BenchRow } from "../meters/row.ts";
import { onEachPostgres, type RecordsBench, runSync, setRound } from "./records-bench.ts";
import { BATCH, RECORDS } from "./records-floor.ts";

/** What records that do not match cost, against a run of the same records that all match and are unchanged. */
export async function benchQuarantine(): Promise<BenchRow[]> {
  return await onEachPostgres(measureQuarantine);
}

async function measureQuarantine(bench: RecordsBench): Promise<BenchRow[]> {
  const { client } = bench;
  const run = async (tenths: number) => {
    await setRound(bench, tenths);
    const ms = await runSync(bench, "save-checked");
    // As autovacuum does within a minute, for which the bench does not wait.
    await client.query("vacuum analyze");
    return ms;
  };
  await run(0);
  const fine = Math.min(await run(0), await run(0));
  const [tenth, tenthAgain, all, allAgain] = [
    await run(1),
    await run(1),
    await run(10),
    await run(10),
  ];
  const released = await run(0);
  const row = (name: string, ms: number): BenchRow => ({
    name: `records saved, ${name}`,
    value: (1000 * RECORDS) / ms,
    unit: "records/s",
    baseline: { name: "all match, unchanged", value: (1000 * RECORDS) / fine },
    note: `${RECORDS} of 1 KB in batches of ${BATCH}`,
  });
  return [
    row("a tenth quarantined", tenth),
    row("the same tenth quarantined again", tenthAgain),
    row("all quarantined", all),
    row("all quarantined again", allAgain),
    row("all released", released),
  ];
}
