import { readConfig } from "../../../packages/server/src/config.ts";
import { openVault } from "../../../packages/server/src/operator/open-vault.ts";
import { createBatchSealer, createSealer } from "../../../packages/server/src/vault/index.ts";

type BatchSealer = Awaited<ReturnType<typeof createBatchSealer>>;

export interface Sealer extends AsyncDisposable {
  /** Credentials of a connection, as the server seals them. */
  credentialsOf(connectionUuid: string): Promise<Buffer>;
  /** Records of a model, as the server seals them. */
  recordsOf(connectionUuid: string, model: string): Promise<BatchSealer>;
}

const credentials = Buffer.from(
  JSON.stringify({
    ...{ type: "OAUTH2", access_token: "a".repeat(64), refresh_token: "r".repeat(64) },
    expires_at: "2099-01-01T00:00:00.000Z",
    raw: {},
  }),
);

/** Seals rows that a bench fills in by SQL, with the keys of a server that has started once. */
export async function openSealer(
  env: Readonly<Record<string, string>>,
  integration: string,
): Promise<Sealer> {
  const { config, problems } = readConfig({ ...env });
  if (config === undefined) throw new Error(problems.join("; "));
  await using stack = new AsyncDisposableStack();
  const vault = stack.use(await openVault(config));
  const { environmentId } = await vault.db
    .withTables<{ integrations: { uniqueKey: string; environmentId: string } }>()
    .selectFrom("integrations")
    .select("environmentId")
    .where("uniqueKey", "=", integration)
    .executeTakeFirstOrThrow();
  const seal = await createSealer(vault, environmentId);
  const opened = stack.move();
  return {
    credentialsOf: async (row) =>
      await seal({ table: "connections", column: "credentials", row }, credentials),
    recordsOf: async (connection, model) =>
      await createBatchSealer(vault, {
        ...{ environmentId, table: "records", column: "payload", row: `${connection}/${model}/` },
      }),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
