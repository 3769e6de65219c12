import * as z from "zod";
import type { EnvironmentContext } from "#platform";
import { findSettings } from "./store.ts";

const validationMode = z.enum(["off", "warn", "fail"]);

// Defaults: decisions 8.
const environmentSettings = z.object({
  validation: z
    .object({
      input: validationMode.default("fail"),
      output: validationMode.default("warn"),
      records: validationMode.default("warn"),
      metadata: validationMode.default("warn"),
      checkpoint: validationMode.default("warn"),
    })
    .prefault({}),
  callback_url: z.string().optional(),
});

export type EnvironmentSettings = z.output<typeof environmentSettings>;

/** Settings of the environment, with defaults for what was never set. */
export async function getEnvironmentSettings(
  ctx: EnvironmentContext,
): Promise<EnvironmentSettings> {
  return environmentSettings.parse(await findSettings(ctx.db, ctx.environment.id));
}
