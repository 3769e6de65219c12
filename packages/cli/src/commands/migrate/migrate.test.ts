import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import { administer } from "../../../../server/src/foundation/testing/administer.ts";
import { createEmptyDatabase } from "../../../../server/src/foundation/testing/index.ts";
import { runJackfield, startJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder } from "../../testing/test-folder.ts";

test("a server that may not migrate serves once the job has", async () => {
  await using folder = await createTestFolder();
  await using database = await createEmptyDatabase();
  const env = {
    SVC_DATA_DIR: join(folder.path, "data"),
    SVC_DATABASE_URL: database.connectionString,
    SVC_LOG_LEVEL: "warn",
  };
  const migrate = async (...args: string[]) =>
    await runJackfield({ cwd: folder.path, args: ["migrate", ...args], env });

  const planned = await migrate("--dry-run");
  const port = await findFreePort();
  const platform = startJackfield({
    cwd: folder.path,
    args: ["start"],
    env: { ...env, SVC_MIGRATE: "off", SVC_PORT: String(port) },
  });
  const { stdout, stderr } = platform;
  if (stdout === null || stderr === null) throw new Error("the server has no output");
  const isReady = waitForLine(stdout, "ready at");
  const warning = await waitForLine(stderr, "schema_behind");
  // It listens a moment after the warning.
  const [health, before] = await vi.waitFor(
    async () =>
      await Promise.all(
        ["health", "ready"].map(async (path) => await fetch(`http://127.0.0.1:${port}/${path}`)),
      ),
    { timeout: 15_000 },
  );
  const applied = await migrate("--json");
  await isReady;
  const after = await fetch(`http://127.0.0.1:${port}/ready`);
  const again = await migrate("--dry-run");
  platform.kill("SIGTERM");
  if (platform.exitCode === null) await once(platform, "exit");

  expect(planned.code).toBe(8);
  expect(planned.stdout).toMatch(/^0001_foundation\.sql +transaction +new database\n/);
  expect(planned.stdout).toMatch(/0004_list_indexes\.sql +concurrently/);
  expect(warning).toContain("jackfield migrate");
  expect([health?.status, before?.status]).toEqual([200, 503]);
  expect(await before?.text()).toMatch(/lacks \d+ migrations; run `jackfield migrate`/);
  expect(applied.code).toBe(0);
  expect(JSON.parse(applied.stdout).applied[0]).toBe("0001_foundation.sql");
  expect(after.status).toBe(200);
  expect([again.code, again.stdout]).toEqual([0, "The schema is up to date.\n"]);
  expect(platform.exitCode).toBe(0);
}, 60_000);

test("a database of a newer release is refused with the cure", async () => {
  await using folder = await createTestFolder();
  await using database = await createEmptyDatabase();
  const env = { SVC_DATA_DIR: folder.path, SVC_DATABASE_URL: database.connectionString };
  const migrate = async (...args: string[]) =>
    await runJackfield({ cwd: folder.path, args: ["migrate", ...args], env });
  await migrate();
  await administer(
    database.connectionString,
    "insert into schema_migrations (name, checksum, compatible_since) values ('9999_later.sql', 'x', '9999')",
  );

  const outcomes = [await migrate(), await migrate("--dry-run")];

  for (const { code, stderr } of outcomes) {
    expect(code).toBe(1);
    expect(stderr).toContain("newer Jackfield (9999_later.sql)");
    expect(stderr).toContain("Start that version or a later one");
  }
}, 60_000);

async function waitForLine(stream: NodeJS.ReadableStream, part: string): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    if (!line.includes(part)) continue;
    stream.resume();
    return line;
  }
  throw new Error(`the server ended without ${part}`);
}

async function findFreePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
