import type { EnvironmentContext } from "#platform";
import { listEnvironmentVariables } from "./variables/list-environment-variables.ts";

/** Calls of running functions that this slice answers. */
export const environmentRuntime = {
  getEnvironmentVariables: async (ctx: EnvironmentContext) => ({
    value: await listEnvironmentVariables(ctx),
  }),
};
