import { AppError, type EnvironmentContext } from "#foundation";
import type { RunIdentity } from "#slice";
import { listEnvironmentVariables } from "./variables/list-environment-variables.ts";

/** Calls of running functions that this slice answers. */
export const environmentRuntime = {
  getEnvironmentVariables: async (
    ctx: EnvironmentContext,
    { run }: { readonly run: Pick<RunIdentity, "proxyOnly"> },
  ) => {
    if (run.proxyOnly === true) throw new AppError("credentials_withheld");
    return { value: await listEnvironmentVariables(ctx) };
  },
};
