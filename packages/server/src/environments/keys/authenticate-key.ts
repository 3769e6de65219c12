import { hash } from "node:crypto";
import {
  AppError,
  type Environment,
  type KeyBounds,
  MINUTE,
  type SystemContext,
} from "#foundation";
import { defineCache, type Found } from "#foundation/cache";
import { lookupHash } from "#vault";
import { requireApiKeyForm } from "./api-key.ts";
import { findKeyByHash, type KeyCaller, markKeyUsed } from "./store.ts";

export interface Principal {
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly string[];
  readonly accountId: string;
  /** When the key stops working; left out when it does not. */
  readonly expiresAt?: Date;
  readonly boundTo?: KeyBounds;
  /** Undefined for a key of the account. */
  readonly environment: Environment | undefined;
}

/** How far `last_used_at` may lag behind, so that it costs a write per key and minute at most. */
const LAST_USED_PRECISION_MS = MINUTE;

interface KnownKey {
  readonly principal: Principal;
  lastUsedMs: number;
}

const knownKeys = defineCache<KnownKey>({ maxEntries: 10_000 });

/** Who the text of an API key belongs to; 401 with the reason otherwise. `from`: who calls with it. */
export async function authenticateKey(
  ctx: SystemContext,
  key: string,
  from?: KeyCaller,
): Promise<Principal> {
  const known = await knownKeys.find(ctx, hash("sha256", key), async () => await findKey(ctx, key));
  if (known === undefined) throw new AppError("unknown_account");
  const now = ctx.clock.now();
  requireValid(known.principal, now);
  if (now.getTime() - known.lastUsedMs > LAST_USED_PRECISION_MS) {
    known.lastUsedMs = now.getTime();
    await markKeyUsed(ctx.db, known.principal.keyId, { at: now, from });
  }
  return known.principal;
}

/** `authenticateKey` where it takes no look at the database; undefined where it has to. */
export function getPrincipalIfCached(ctx: SystemContext, key: string): Principal | undefined {
  const known = knownKeys.getIfCached(ctx, hash("sha256", key));
  if (known === undefined) return undefined;
  const now = ctx.clock.now();
  const isUseRecorded = now.getTime() - known.lastUsedMs <= LAST_USED_PRECISION_MS;
  return isUseRecorded && !hasExpired(known.principal, now) ? known.principal : undefined;
}

function requireValid(principal: Principal, now: Date): void {
  if (!hasExpired(principal, now)) return;
  const end = principal.expiresAt?.toISOString();
  throw new AppError("expired_api_key", `The API key "${principal.keyName}" expired at ${end}.`);
}

function hasExpired({ expiresAt }: Principal, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

async function findKey(ctx: SystemContext, key: string): Promise<Found<KnownKey> | undefined> {
  requireApiKeyForm(key);
  const row = await findKeyByHash(ctx.db, await lookupHash(ctx, "api_key", key));
  if (row === undefined) return undefined;
  const { id, scopes, account_id: accountId, environment_id: environmentId } = row;
  const environment =
    environmentId === null || row.environment_name === null
      ? undefined
      : { id: environmentId, name: row.environment_name, accountId };
  const principal = {
    keyId: id,
    keyName: row.display_name,
    scopes,
    accountId,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.bound_to !== null && { boundTo: row.bound_to }),
    environment,
  };
  return {
    value: { principal, lastUsedMs: row.last_used_at?.getTime() ?? 0 },
    rows: [`api_keys ${id}`, ...(environmentId === null ? [] : [`environments ${environmentId}`])],
  };
}
