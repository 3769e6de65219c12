import { resolve } from "node:path";
import { isGrantableScope } from "@jackfield/contract";
import { ensureAccount } from "#accounts";
import type { Config } from "#config";
import { createApiKey, listEnvironments } from "#environments";
import { type SystemContext, systemClock } from "#platform";
import { type Database, openDatabase, withTransaction } from "#platform/db";
import { openMasterKeyRing, verifyMasterKey } from "#vault";
import { findOrStartDatabase } from "./find-or-start-database.ts";

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
  const database = await openInstallation(stack, config);
  const ctx = {
    db: database.db,
    clock: systemClock,
    keys: {
      ring: await openMasterKeyRing({
        configured: config.encryptionKey,
        previous: config.encryptionKeyPrevious,
        dataDir: resolve(config.dataDir),
        mayCreate: false,
      }),
      dataKeys: new Map(),
    },
  };
  const problem = await verifyMasterKey(ctx);
  if (problem !== undefined) throw new Error(problem);
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

async function openInstallation(stack: AsyncDisposableStack, config: Config): Promise<Database> {
  const connectionString =
    config.databaseUrl?.reveal() ?? (await findOrStartDatabase(stack, resolve(config.dataDir)));
  const database = stack.use(
    openDatabase({
      connectionString,
      maxConnections: 1,
      pooled: config.databasePooled !== false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  try {
    await listEnvironments(database.db, "00000000-0000-0000-0000-000000000000");
  } catch (error) {
    throw hasCode(error, "42P01") ? notStartedYet() : error;
  }
  return database;
}

function notStartedYet(): Error {
  return new Error(
    "this database holds no installation yet: start the server once; its first start prints the first keys",
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
