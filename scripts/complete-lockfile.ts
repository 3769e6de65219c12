// `npm run lockfile`: adds to package-lock.json the optional packages of other platforms, which npm leaves
// out when it could not fetch them (https://github.com/npm/cli/issues/4828) and without which `npm ci` refuses to install.
// Their hashes and systems are what the registry publishes of them, so their files need not be there.
// Removes the Node that packages of others ask for: npm compares it with its own Node, on which they do not run.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import {
  findEngines,
  findMissingOptionals,
  findUnhashed,
  type Lockfile,
} from "./checks/lockfile.ts";

const path = new URL("../package-lock.json", import.meta.url);
const lockfile: Lockfile = JSON.parse(await readFile(path, "utf8"));
for (const { name, version, isDev } of findMissingOptionals(lockfile)) {
  lockfile.packages[`node_modules/${name}`] = {
    version,
    ...(isDev ? { dev: true } : {}),
    optional: true,
  };
}
for (const place of findUnhashed(lockfile)) {
  const { version = "", ...rest } = lockfile.packages[place] ?? {};
  const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
  const { integrity, ...systems } = await readPublished(`${rest.name ?? name}@${version}`);
  // The order in which npm writes them.
  const others = Object.entries({ ...rest, ...systems }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  lockfile.packages[place] = { version, integrity, ...Object.fromEntries(others) };
}
for (const place of findEngines(lockfile)) {
  const { engines: _, ...rest } = lockfile.packages[place] ?? {};
  lockfile.packages[place] = rest;
}
const { "": root, ...packages } = lockfile.packages;
const sorted = Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
const complete = { ...lockfile, packages: { "": root, ...Object.fromEntries(sorted) } };
await writeFile(path, `${JSON.stringify(complete, null, 2)}\n`);

/** The hash of a package's file and the systems that it is for, as the registry describes them. */
async function readPublished(spec: string): Promise<{ integrity: string }> {
  const fields = ["os", "cpu", "libc", "dist.integrity"];
  const { stdout } = await promisify(execFile)("npm", ["view", spec, ...fields, "--json"]);
  const { "dist.integrity": integrity, ...systems } = JSON.parse(stdout);
  return { integrity, ...systems };
}
