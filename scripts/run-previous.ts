// `npm run test:previous [-- <tag or commit>]`: the journeys of the last release, by its own code, on databases with
// the schema of this checkout. Without a tag there is no release yet, and nothing to do.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../packages/server/src/foundation/db/index.ts";
import { startEmbeddedPostgres } from "../packages/server/src/foundation/embedded-postgres/index.ts";
import { withDatabase } from "../packages/server/src/foundation/testing/administer.ts";

const root = join(import.meta.dirname, "..");
const [lastTag = ""] = git("tag", "--list", "v*", "--sort=-version:refname").split("\n");
const release = process.argv[2] ?? lastTag;
if (release === "")
  console.log("No release is tagged yet (git tag): there are no journeys to run.");
else process.exitCode = await runJourneys(release);

async function runJourneys(of: string): Promise<number> {
  const checkout = await mkdtemp(join(tmpdir(), "jackfield-previous-"));
  try {
    git("worktree", "add", "--quiet", "--detach", checkout, of);
    // As root, functions and the database run as other users, who have to get through.
    chmodSync(checkout, 0o755);
    run(checkout, ["npm", "ci", "--no-audit", "--no-fund"], {});
    return await runOnNewSchema(checkout);
  } finally {
    spawnSync("git", ["worktree", "remove", "--force", checkout], { cwd: root });
    await rm(checkout, { recursive: true, force: true });
  }
}

/** Every database of the server is made from `template1`: with the new schema there, each has it. */
async function runOnNewSchema(checkout: string): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "jackfield-previous-data-"));
  try {
    await using server = await startEmbeddedPostgres({ dataDir, log: () => {}, forTests: true });
    await migrate(withDatabase(server.connectionString, "template1"));
    return run(checkout, ["npx", "vitest", "run", "tests/journeys"], {
      TEST_DATABASE_URL: server.connectionString,
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function run(cwd: string, [command = "", ...args]: string[], env: Record<string, string>): number {
  // biome-ignore lint/style/noProcessEnv: npm and git need what they are started with
  const whole = { ...process.env, ...env };
  const { status } = spawnSync(command, args, { cwd, env: whole, stdio: "inherit" });
  if (status !== 0 && command === "npm") throw new Error(`npm ${args[0]} ended with ${status}`);
  return status ?? 1;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
