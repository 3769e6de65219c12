import { isGrantableScope } from "@jackfield/contract";
import { ensureAccount } from "#accounts";
import type { Config } from "#config";
import { createApiKey, listEnvironments } from "#environments";
import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { hasCode, notStartedYet, openInstallation } from "./open-installation.ts";

export interface KeyRequest {
  /** Name of the environment; undefined for a key of the account. */
  readonly environment: string | undefined;
  readonly displayName: string | undefined;
  /** Default: everything in its place. */
  readonly scopes: readonly string[] | undefined;
}

export interface CreatedKey {
  readonly key: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
}

/**
 * Makes an API key on the database itself, whether the platform runs or not. Throws an Error that says what to do.
 */
export async function createKey(config: Config, request: KeyRequest): Promise<CreatedKey> {
  const scopes = readScopes(request);
  await using stack = new AsyncDisposableStack();
  const ctx = await openInstallation(stack, config);
  const displayName = request.displayName ?? `cli ${ctx.clock.now().toISOString()}`;
  try {
    const key = await insertKey(ctx, { ...request, displayName, scopes });
    return { key, displayName, scopes };
  } catch (error) {
    if (!hasCode(error, "23505")) throw error;
    throw new Error(`there is a key named "${displayName}" already: choose another name`, {
      cause: error,
    });
  }
}

async function insertKey(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  wanted: { environment: string | undefined; displayName: string; scopes: string[] },
): Promise<string> {
  return await withTransaction(ctx, async (trx) => {
    const { accountId, created } = await ensureAccount(trx);
    if (created) throw notStartedYet();
    const { environment, displayName, scopes } = wanted;
    if (environment === undefined) {
      return await createApiKey(trx, { accountId, environmentId: null, displayName, scopes });
    }
    const environments = await listEnvironments(trx.db, accountId);
    const found = environments.find(({ name }) => name === environment);
    if (found === undefined) {
      const names = environments.map(({ name }) => name).join(", ");
      throw new Error(`there is no environment ${environment}; there are: ${names}`);
    }
    return await createApiKey(trx, { accountId, environmentId: found.id, displayName, scopes });
  });
}

function readScopes({ environment, scopes }: KeyRequest): string[] {
  const place = environment === undefined ? "account" : "environment";
  for (const scope of scopes ?? []) {
    if (!isGrantableScope(scope) || !scope.startsWith(`${place}:`)) {
      throw new Error(
        `${scope} is not a scope of a key of this kind; for example ${place}:* (everything)` +
          (place === "environment" ? " or environment:deploy" : ""),
      );
    }
  }
  return [...new Set(scopes ?? [`${place}:*`])];
}
