import { createKey, readConfig, startServer } from "@jackfield/server";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";

/** A server of this process on a database of its own, and keys of every kind. */
export interface ApiUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly database: Awaited<ReturnType<typeof createServerDatabase>>;
  /** A key of an environment, or of the account, with just these scopes. */
  keyOf(owner: "dev" | "prod" | "account", scopes: readonly string[]): Promise<string>;
}

export async function startApi(env: Readonly<Record<string, string>> = {}): Promise<ApiUnderTest> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createServerDatabase());
  const folder = stack.use(await makeDataFolder());
  const { config, problems } = readConfig({
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: database.connectionString,
    SVC_DATABASE_POOLED: "false",
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "silent",
    SVC_EGRESS_ALLOW: "127.0.0.1/32",
    ...env,
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  const server = stack.use(await startServer({ config }));
  let keys = 0;
  const running = stack.move();
  return {
    url: server.url,
    database,
    async keyOf(owner, scopes) {
      keys += 1;
      const environment = owner === "account" ? undefined : owner;
      const { key } = await createKey(config, { environment, displayName: `key ${keys}`, scopes });
      return key;
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
