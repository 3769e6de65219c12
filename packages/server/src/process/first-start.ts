import { ensureAccount } from "#accounts";
import { listEnvironments, presetKey } from "#environments";
import { Secret, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { fillAccount, type NewKeys, newSetupLink } from "#people";

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

/** A link by which somebody becomes the first owner; undefined when there is an owner, or one is named by address. */
export async function newFirstSetupLink(ctx: SystemContext): Promise<Secret<string> | undefined> {
  if (ctx.settings.ownerEmail !== undefined) return undefined;
  const { accountId } = await ensureAccount(ctx);
  const { dashboardUrl } = ctx.settings;
  const link = await newSetupLink(ctx, { accountId, dashboardUrl, replacesOthers: false });
  return link === undefined ? undefined : new Secret(link);
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
