import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { clearRecords, storedModel } from "#records";
import { lockSync, updateSync } from "../store.ts";
import type { Sync } from "../sync.ts";
import type { Lease } from "./begin-run.ts";
import { requireLease } from "./require-lease.ts";
import type { RunSubject } from "./run-subject.ts";
import { updateRun } from "./store.ts";

/** Removes what a run's sync has stored. Done once: a later attempt continues with what this one has saved. */
export async function emptyCache(
  ctx: EnvironmentContext,
  { run, sync }: Lease,
  subject: RunSubject,
): Promise<void> {
  const attempt = { runId: run.id, fence: run.fence };
  await clearRecords(ctx, {
    connection: sync.connectionUuid,
    models: modelsOf(subject, sync),
    // Else an attempt that was taken over would remove what its successor has saved.
    require: async (ctx) => await requireLease(ctx, attempt),
  });
  await withTransaction(ctx, async ({ db, environment, clock }) => {
    await lockSync(db, environment.id, sync.id);
    const trigger = { ...run.trigger, emptyCache: false };
    const emptied = await updateRun(db, environment.id, run, { trigger });
    if (emptied === undefined) return;
    await updateSync(db, environment.id, sync.id, { unfinished: null }, clock.now());
  });
}

/** Models of a sync under the names that they are stored by. */
export function modelsOf({ fn }: RunSubject, { variant }: Pick<Sync, "variant">): string[] {
  return fn.definition.models.map((model) => storedModel(model, variant));
}
