import { randomUUID } from "node:crypto";
import { isGrantCovered } from "@jackfield/contract";
import { recordChange } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { lockEnvironment } from "../store.ts";
import { createApiKey } from "./create-api-key.ts";
import { listKeys } from "./store.ts";

const KEYS_PER_ENVIRONMENT = 50;

export interface AddedKey {
  readonly id: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
  /** Stored nowhere. */
  readonly secret: string;
  readonly createdAt: Date;
}

/**
 * Makes a key of the environment on the caller's behalf. Throws forbidden when a key of the environment
 * would grant what it does not hold, conflict for a name in use, resource_capped at 50 keys.
 */
export async function addApiKey(
  ctx: EnvironmentContext,
  { displayName, scopes: wanted }: { displayName: string; scopes: readonly string[] },
): Promise<AddedKey> {
  const scopes = [...new Set(wanted)];
  requireHeld(ctx, scopes);
  const { id: environmentId, accountId } = ctx.environment;
  const id = randomUUID();
  const secret = await withTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, environmentId);
    const known = await listKeys(ctx.db, environmentId);
    if (known.some((key) => key.displayName === displayName)) {
      throw new AppError("conflict", `There is a key named "${displayName}" already.`);
    }
    if (known.length >= KEYS_PER_ENVIRONMENT) {
      throw new AppError(
        "resource_capped",
        `The environment has ${KEYS_PER_ENVIRONMENT} keys, which is the limit: delete one first.`,
      );
    }
    return await createApiKey(ctx, { id, accountId, environmentId, displayName, scopes });
  });
  recordChange(ctx, { message: `Create the API key ${displayName}`, meta: { key: id, scopes } });
  return { id, displayName, scopes, secret, createdAt: ctx.clock.now() };
}

/** Keys of the account may grant anything in their environments. */
function requireHeld({ actor }: EnvironmentContext, scopes: readonly string[]): void {
  if (actor.kind !== "key" && actor.kind !== "user") return;
  if (actor.scopes.some((scope) => scope.startsWith("account:"))) return;
  const beyond = scopes.filter((scope) => !isGrantCovered(actor.scopes, scope));
  if (beyond.length === 0) return;
  const names = beyond.map((scope) => `\`${scope}\``).join(", ");
  throw new AppError(
    "forbidden",
    `A key may be given only what its maker holds, which is not ${names}.`,
  );
}
