import { type EnvironmentContext, HOUR } from "#foundation";
import { readReplica, withinPatience } from "#foundation/db";
import { fillPeriod, type Step, type SteppedPeriod, steps, toSteppedPeriod } from "#logs";
import { flushRecordTallies } from "./record-tallies.ts";
import { type RecordCounts, readRecordCounts } from "./store.ts";

/** Changes to records in each step of a period, the oldest first; throws invalid_query_params. */
export async function readRecordMetrics(
  ctx: EnvironmentContext,
  query: {
    readonly from?: Date | undefined;
    readonly to?: Date | undefined;
    readonly step?: Step | undefined;
  },
): Promise<SteppedPeriod & { readonly counts: readonly RecordCounts[] }> {
  const now = ctx.clock.now();
  const period = toSteppedPeriod(fillPeriod(query, now, HOUR), query.step, now);
  await withinPatience(flushRecordTallies(ctx));
  const asked = { ...period, stepMs: steps[period.step] };
  const { id } = ctx.environment;
  return {
    ...period,
    counts: await readReplica(ctx, async (db) => await readRecordCounts(db, id, asked)),
  };
}
