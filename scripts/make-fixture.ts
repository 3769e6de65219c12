// `npm run fixture [-- <folder of another checkout>]`: fills a platform of that checkout, and keeps its database as
// tests/upgrades/fixtures/<version>.backup. Run it once for each release, by its tag.
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeDataFolder, spawnPlatform } from "@jackfield/simulator";
import { readConfig } from "../packages/server/src/config.ts";
import { backUp, Secret } from "../packages/server/src/index.ts";
import { callerOf, fillPlatform, fixture } from "../tests/upgrades/fill-platform.ts";

const root = resolve(import.meta.dirname, "..");
const platformRoot = resolve(process.argv[2] ?? root);
const manifest = await readFile(join(platformRoot, "packages/server/package.json"), "utf8");
const { version } = JSON.parse(manifest);
const path = join(root, "tests/upgrades/fixtures", `${version}.backup`);

await using folder = await makeDataFolder();
const cli = join(platformRoot, "packages/cli/bin/jackfield.js");
const platform = await spawnPlatform(["--conditions=jackfield-source", cli, "start"], {
  dataDir: folder.path,
  env: { SVC_BOOTSTRAP_KEY: fixture.key },
});
try {
  await fillPlatform(callerOf(platform.url));
} finally {
  await platform.stop();
}
const { config, problems } = readConfig({ SVC_DATA_DIR: folder.path, SVC_LOG_LEVEL: "error" });
if (config === undefined) throw new Error(problems.join("\n"));
const { tables, rows } = await backUp(config, {
  passphrase: new Secret(fixture.passphrase),
  recipients: [],
  withKey: true,
  target: createWriteStream(path, { flags: "wx" }),
});
console.log(`wrote ${path}: ${tables} tables with ${rows} rows`);
