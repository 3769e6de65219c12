import type { EnvironmentSettings, EnvironmentSettingsChange } from "@jackfield/contract";
import { noteBefore } from "#audit";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { findSettings, lockEnvironment, saveSettings } from "../store.ts";
import { withDefaults } from "./get-environment-settings.ts";
import { mergeSettings } from "./merge-settings.ts";

/** Changes what is given. Only what was ever set is stored, so that new defaults reach everyone else. */
export async function updateEnvironmentSettings(
  ctx: EnvironmentContext,
  change: EnvironmentSettingsChange,
): Promise<EnvironmentSettings> {
  const { id } = ctx.environment;
  const changed = await withTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, id);
    const stored = await findSettings(ctx.db, id);
    noteBefore(ctx, { ...withDefaults(stored) });
    const settings = mergeSettings(stored, change);
    await saveSettings(ctx.db, id, settings, ctx.clock.now());
    return withDefaults(settings);
  });
  const meta = { settings: Object.keys(change) };
  recordChange(ctx, { message: "Change settings of the environment", meta });
  return changed;
}
