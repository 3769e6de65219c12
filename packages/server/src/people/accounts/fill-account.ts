import { createApiKey, createEnvironment } from "#environments";
import type { SystemContext } from "#foundation";

/** Keys that were made just now; their text exists nowhere else. */
export interface NewKeys {
  readonly dev: string;
  readonly prod: string;
  readonly account: string;
}

/** Makes what every account begins with: its environments, and a key for each and for itself. */
export async function fillAccount(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  accountId: string,
): Promise<NewKeys> {
  const addEnvironment = async (name: string, isProduction: boolean) => {
    const environmentId = await createEnvironment(ctx, { accountId, name, isProduction });
    const scopes = ["environment:*"];
    return await createApiKey(ctx, { accountId, environmentId, displayName: "default", scopes });
  };
  return {
    dev: await addEnvironment("dev", false),
    prod: await addEnvironment("prod", true),
    account: await createApiKey(ctx, {
      accountId,
      environmentId: null,
      displayName: "default",
      scopes: ["account:*"],
    }),
  };
}
