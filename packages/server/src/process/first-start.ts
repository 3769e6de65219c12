import { ensureAccount } from "#accounts";
import { createApiKey, createEnvironment, listEnvironments, presetKey } from "#environments";
import { newSetupLink } from "#people";
import { Secret, type SystemContext } from "#platform";
import { withTransaction } from "#platform/db";

/** Keys that were made just now; their text exists nowhere else. */
export interface NewKeys {
  readonly dev: string;
  readonly prod: string;
  readonly account: string;
}

type StartContext = Pick<SystemContext, "db" | "clock" | "keys">;

/** Makes account, environments and keys of a new installation; undefined when it exists already. */
export async function prepareInstallation(
  ctx: StartContext,
  bootstrapKey: Secret<string> | undefined,
): Promise<NewKeys | undefined> {
  return await withTransaction(ctx, async (trx) => {
    const { accountId, created } = await ensureAccount(trx);
    const keys = created ? await fillAccount(trx, accountId) : undefined;
    if (bootstrapKey !== undefined) await presetDevKey(trx, accountId, bootstrapKey);
    return keys;
  });
}

/** A link by which somebody becomes the first owner; undefined when there is an owner. */
export async function newFirstSetupLink(ctx: SystemContext): Promise<Secret<string> | undefined> {
  const { accountId } = await ensureAccount(ctx);
  const { dashboardUrl } = ctx.settings;
  const link = await newSetupLink(ctx, { accountId, dashboardUrl, replacesOthers: false });
  return link === undefined ? undefined : new Secret(link);
}

async function fillAccount(ctx: StartContext, accountId: string): Promise<NewKeys> {
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

async function presetDevKey(
  ctx: StartContext,
  accountId: string,
  key: Secret<string>,
): Promise<void> {
  const environments = await listEnvironments(ctx.db, accountId);
  const dev = environments.find(({ name }) => name === "dev");
  if (dev === undefined) throw new Error("SVC_BOOTSTRAP_KEY needs the environment dev");
  await presetKey(ctx, { accountId, environmentId: dev.id, key });
}
