import { AppError, type Environment, type InstallationContext, MINUTE } from "#platform";
import { lookupHash } from "#vault";
import { requireApiKeyForm } from "./api-key.ts";
import { findKeyByHash, markKeyUsed } from "./store.ts";

export interface Principal {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly accountId: string;
  /** Undefined for a key of the account. */
  readonly environment: Environment | undefined;
}

/** How far `last_used_at` may lag behind, so that it costs a write per key and minute at most. */
const LAST_USED_PRECISION_MS = MINUTE;

/** Who the text of an API key belongs to; 401 with the reason otherwise (HTTP contract 1.2). */
export async function authenticateKey(ctx: InstallationContext, key: string): Promise<Principal> {
  requireApiKeyForm(key);
  const row = await findKeyByHash(ctx.db, await lookupHash(ctx, "api_key", key));
  if (row === undefined) throw new AppError("unknown_account");
  const now = ctx.clock.now();
  const lag = now.getTime() - (row.last_used_at?.getTime() ?? 0);
  if (lag > LAST_USED_PRECISION_MS) await markKeyUsed(ctx.db, row.id, now);
  return {
    keyId: row.id,
    scopes: row.scopes,
    accountId: row.account_id,
    environment:
      row.environment_id === null || row.environment_name === null
        ? undefined
        : { id: row.environment_id, name: row.environment_name, accountId: row.account_id },
  };
}
