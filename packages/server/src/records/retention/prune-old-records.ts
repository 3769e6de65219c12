import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { DAY, type SystemContext, withEnvironment } from "#foundation";
import { pruneModel } from "./prune-records.ts";
import { listModelIds } from "./store.ts";

const MODELS_AT_ONCE = 1000;

/** Empties records that nothing has changed for as long as their environment says. Runs daily. */
export async function pruneOldRecords(system: SystemContext): Promise<void> {
  for (const environment of await listAllEnvironments(system.db)) {
    const ctx = withEnvironment(system, environment);
    const { records_prune_days: days } = (await getEnvironmentSettings(ctx)).retention;
    if (days === null) continue;
    const before = new Date(ctx.clock.now().getTime() - days * DAY);
    let after = 0;
    for (;;) {
      const page = { after, limit: MODELS_AT_ONCE };
      const models = await listModelIds(ctx.db, environment.id, page);
      for (const model of models) await pruneModel(ctx, model, before);
      after = models.at(-1) ?? after;
      if (models.length < MODELS_AT_ONCE) break;
    }
  }
}
