import { sql } from "kysely";
import { addMs, DAY, type SystemContext } from "../../../packages/server/src/foundation/index.ts";
import { countReads } from "../../../packages/server/src/foundation/testing/count-reads.ts";
import { claimDueSyncs } from "../../../packages/server/src/syncs/index.ts";
import { type BenchRow, median } from "../meters/row.ts";

const CLAIMS = 60;
/** Schedules that fall due between two claims of a busy worker. */
const DUE_AT_ONCE = 20;

/** Claims of schedules: when none is due, a few are, and all are, as after an outage. */
export async function measureClaims(ctx: SystemContext): Promise<BenchRow[]> {
  const later = addMs(ctx.clock.now(), DAY);
  const outage = { ...ctx, clock: { now: () => later } };
  return [
    await measureClaim(ctx, { name: "none of which is due", prepare: async () => {} }),
    await measureClaim(ctx, { name: `${DUE_AT_ONCE} of which are due`, prepare: makeDue }),
    await measureClaim(outage, { name: "all of which are due", prepare: async () => {} }),
  ];
}

async function measureClaim(
  ctx: SystemContext,
  { name, prepare }: { name: string; prepare: (ctx: SystemContext) => Promise<void> },
): Promise<BenchRow> {
  const times: number[] = [];
  let [claimed, reads] = [0, 0];
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    await prepare(ctx);
    reads += await countReads(ctx, "%", async (ctx) => {
      const startedAt = performance.now();
      claimed += (await claimDueSyncs(ctx)).claimed;
      times.push(performance.now() - startedAt);
    });
    await endRuns(ctx);
  }
  const counts =
    claimed === 0
      ? `${(reads / CLAIMS).toFixed(1)} rows read`
      : `${(claimed / CLAIMS).toFixed(0)} claimed at once, ${(reads / claimed).toFixed(1)} rows read for each`;
  return {
    name: `scale: claim of schedules, ${name}, p95`,
    value: times.toSorted((a, b) => a - b)[Math.floor(0.95 * CLAIMS)] ?? Number.NaN,
    unit: "ms",
    note: `median ${median(times).toFixed(1)} ms; ${counts}`,
  };
}

async function makeDue({ db, clock }: SystemContext): Promise<void> {
  await sql`
    update syncs set next_run_at = ${addMs(clock.now(), -1)}
     where id in (
       select id from syncs where id >= gen_random_uuid() and not paused and running_run_id is null
        order by id limit ${DUE_AT_ONCE})`.execute(db);
}

/** As the end of a run does it; its job goes, too. */
async function endRuns({ db, clock }: SystemContext): Promise<void> {
  const next = addMs(clock.now(), 2 * DAY);
  await sql`delete from graphile_worker._private_jobs`.execute(db);
  await sql`
    update syncs set running_run_id = null, next_run_at = ${next}
     where id in (select sync_id from sync_turns where next_run_at is null)
       and running_run_id is not null`.execute(db);
}
