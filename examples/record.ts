// Records all examples again, or those named as arguments: simulators of the providers, a platform of its own, and
// `jackfield dryrun --save` for each.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startPlatform } from "jackfield/test";
import { connectionId, createConnections, createIntegrations } from "./fakes/connect-fakes.ts";
import { runs } from "./fakes/runs.ts";
import { integrations, startFakes } from "./fakes/start-fakes.ts";

const run = promisify(execFile);
const project = import.meta.dirname;
const manifest = createRequire(import.meta.url).resolve("jackfield/package.json");
const cli = join(dirname(manifest), "bin", "jackfield.js");

await using fakes = await startFakes();
await using platform = await startPlatform();
const api = { url: platform.url, key: platform.keys.dev };
await createIntegrations(api, fakes);
await createConnections(api, fakes);
const chosen = process.argv.slice(2);
if (chosen.length === 0) {
  for (const id of integrations)
    rmSync(join(project, id, "tests"), { recursive: true, force: true });
}

for (const { fn, options } of runs) {
  if (chosen.length > 0 && !chosen.includes(fn)) continue;
  await record([fn, connectionId, "--save", ...options]);
  process.stdout.write(`recorded ${[fn, ...options].join(" ")}\n`);
}

async function record(args: readonly string[]): Promise<void> {
  const env = {
    PATH: dirname(process.execPath),
    SVC_HOSTPORT: platform.url,
    SVC_SECRET_KEY_DEV: platform.keys.dev,
  };
  try {
    await run(process.execPath, [cli, "dryrun", ...args], { cwd: project, env });
  } catch (error) {
    // 4: the function ended with an error, which for some runs is what is recorded.
    if (!(error instanceof Error && "code" in error && error.code === 4)) throw error;
  }
}
