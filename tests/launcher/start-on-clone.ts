import { startPlatform, type TestPlatform } from "../../packages/cli/src/test.ts";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "./data-folder.ts";

/**
 * As `startPlatform` of `jackfield/test`, on the database server of the run and with the programs of the checkout: what
 * authors wait for once takes longer than most tests.
 */
export async function startOnClone(
  env: Readonly<Record<string, string>> = {},
): Promise<TestPlatform> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createServerDatabase());
  const folder = stack.use(await makeDataFolder());
  const own = {
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: database.connectionString,
    SVC_DATABASE_POOLED: "false",
  };
  const platform = stack.use(await startPlatform({ env: { ...own, ...env } }));
  const running = stack.move();
  return { ...platform, [Symbol.asyncDispose]: async () => await running.disposeAsync() };
}
