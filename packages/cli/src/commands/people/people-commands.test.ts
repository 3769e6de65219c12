import { readConfig, startServer } from "@jackfield/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createServerDatabase } from "../../../../server/src/foundation/testing/index.ts";
import { type Outcome, runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const cleanUp = new AsyncDisposableStack();
let folder: TestFolder;
let env: Record<string, string>;
let url: string;
let pool: Awaited<ReturnType<typeof createServerDatabase>>["pool"];
beforeAll(async () => {
  folder = cleanUp.use(await createTestFolder());
  const database = cleanUp.use(await createServerDatabase());
  pool = database.pool;
  env = {
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: database.connectionString,
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "silent",
  };
  const { config } = readConfig(env);
  if (config === undefined) throw new Error("these settings are valid");
  ({ url } = cleanUp.use(await startServer({ config })));
});
afterAll(async () => await cleanUp.disposeAsync());

const run = async (...args: string[]): Promise<Outcome> =>
  await runJackfield({ cwd: folder.path, args, env });

async function post(path: string, body: object): Promise<Response> {
  return await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(url).origin },
    body: JSON.stringify(body),
  });
}

const tokenOf = ({ stdout }: Outcome) => stdout.trim().split("#")[1];

test("from an empty installation to an owner who is locked out and comes back", async () => {
  const early = await run("setup-link");
  const setup = await run("setup-link");
  const owner = { email: "ada@example.com", name: "Ada" };
  const replaced = await post("/auth/setup", { ...owner, token: tokenOf(early) });
  const claimed = await post("/auth/setup", { ...owner, token: tokenOf(setup) });
  const second = await run("setup-link");
  const opened = await run("open", "--print");
  const signedIn = await post("/auth/links/redeem", { token: tokenOf(opened) });
  const again = await post("/auth/links/redeem", { token: tokenOf(opened) });
  await run("users", "disable", "ADA@example.com");
  const listed = await run("users", "list");
  await run("users", "grant", "ada@example.com", "owner");
  const reset = await run("users", "reset", "ada@example.com");
  const password = "gears and sentences";
  const back = await post("/auth/links/redeem", { token: tokenOf(reset), password });
  const unknown = await run("users", "reset", "nobody@example.com");
  await pool.query(
    `insert into totp_secrets (user_id, secret, created_at, confirmed_at)
     select id, '\\x00', now(), now() from users`,
  );
  const credentials = { email: owner.email, password };
  const withoutPhone = await post("/auth/password", credentials);
  const dropping = await run("users", "reset", "ada@example.com");
  const unused = await pool.query("select from totp_secrets");
  const dropped = await post("/auth/links/redeem", { token: tokenOf(dropping) });
  const byPassword = await post("/auth/password", credentials);

  expect([replaced.status, claimed.status, signedIn.status, again.status, back.status]).toEqual([
    400, 200, 200, 400, 200,
  ]);
  expect([withoutPhone.status, dropped.status, byPassword.status]).toEqual([401, 200, 200]);
  expect(unused.rowCount).toBe(1);
  expect(second.code).toBe(1);
  expect(listed.stdout).toContain("ada@example.com  Ada   owner (all)");
  expect(listed.stdout).toContain("disabled");
  expect(unknown.stderr).toContain("there is no user nobody@example.com");
});
