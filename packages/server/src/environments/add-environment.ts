import { lockAccount } from "#accounts";
import {
  AppError,
  accountOf,
  type Environment,
  endOf,
  holdsScope,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { createEnvironment } from "./create-environment.ts";
import { type AddedKey, addApiKey } from "./keys/add-api-key.ts";
import { updateEnvironmentSettings } from "./settings/update-environment-settings.ts";

export interface AddedEnvironment extends Environment {
  readonly isProduction: boolean;
  readonly createdAt: Date;
  /** Undefined when the caller may not make keys. */
  readonly key: AddedKey | undefined;
}

/** Makes an environment on behalf of a caller of the account, with a first key where that one may make keys. */
export async function addEnvironment(
  ctx: SystemContext,
  wanted: { name: string; isProduction: boolean; callbackUrl: string | undefined },
): Promise<AddedEnvironment> {
  const { actor } = ctx;
  const { name, isProduction, callbackUrl } = wanted;
  if (isProduction && !holdsScope(actor, "account:environments:set_production")) {
    throw new AppError(
      "forbidden",
      "The caller lacks the scope `account:environments:set_production`, which is_production needs.",
    );
  }
  return await withTransaction(ctx, async (ctx) => {
    const accountId = accountOf(actor);
    await lockAccount(ctx.db, accountId);
    const id = await createEnvironment(ctx, { accountId, name, isProduction });
    const inside = withEnvironment(ctx, { id, name, accountId });
    if (callbackUrl !== undefined) {
      await updateEnvironmentSettings(inside, { callback_url: callbackUrl });
    }
    const mayMakeKeys = holdsScope(actor, "account:environments:api_keys:create");
    const expiresAt = endOf(actor) ?? null;
    const first = { displayName: "default", scopes: ["environment:*"], expiresAt };
    const owner = { accountId, environmentId: id };
    const key = mayMakeKeys ? await addApiKey(inside, owner, first) : undefined;
    return { id, name, accountId, isProduction, createdAt: ctx.clock.now(), key };
  });
}
