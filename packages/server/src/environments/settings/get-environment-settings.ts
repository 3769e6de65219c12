import {
  defaultEnvironmentSettings,
  type EnvironmentSettings,
  environmentSettings,
} from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { findSettings } from "../store.ts";
import { mergeSettings } from "./merge-settings.ts";

const cached = defineCache<EnvironmentSettings>({ maxEntries: 1000 });

/** Settings of the environment, with defaults for what was never set; changes hold within a second. */
export async function getEnvironmentSettings(
  ctx: EnvironmentContext,
): Promise<EnvironmentSettings> {
  const { id } = ctx.environment;
  const load = async () => withDefaults(await findSettings(ctx.db, id));
  const found = await cached.find(ctx, id, async () => ({
    value: await load(),
    rows: [`environment_settings ${id}`],
  }));
  return found ?? (await load());
}

export function withDefaults(stored: object): EnvironmentSettings {
  return environmentSettings.parse(mergeSettings(defaultEnvironmentSettings, stored));
}
