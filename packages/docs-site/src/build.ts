// `npm run docs`: builds the site of `docs/`, the provider entries and the error table, unless what is there was made
// of the same. With `--base /path/ --out folder` the result is for any server of static files at that path; with
// `--versions` too it goes to a folder of its version there, next to those of earlier builds, and `index.html` and
// the menu of each list them all.
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "vitepress";
import { basePlaceholder } from "../assets.js";
import { finishSite } from "./finish-site.ts";
import { lockFolder, outputFolder, root, siteFolder, stageFolder } from "./folders.ts";
import { hashSources } from "./hash-sources.ts";
import { stagePages } from "./stage-pages.ts";
import { versionsAmong, writeVersionList } from "./write-version-list.ts";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    out: { type: "string" },
    versions: { type: "boolean", default: false },
  },
});
const ABANDONED_MS = 10 * 60 * 1000;
const stamp = join(siteFolder, ".stamp");
const wanted = await hashSources();
while (!(await isBuilt())) {
  if (!(await lock())) continue;
  try {
    await buildSite();
    process.stdout.write("Built the docs site.\n");
  } finally {
    await rm(lockFolder, { recursive: true, force: true });
  }
}
if (values.out !== undefined) {
  const folder = resolve(values.out);
  if (values.versions) await addVersion(folder, values.base);
  else await copyTo(folder, values.base);
}

async function isBuilt(): Promise<boolean> {
  return (await readFile(stamp, "utf8").catch(() => undefined)) === wanted;
}

/** Whether this process may build; waits a second where another one does. */
async function lock(): Promise<boolean> {
  try {
    await mkdir(lockFolder);
    return true;
  } catch {
    const other = await stat(lockFolder).catch(() => undefined);
    const isAbandoned = other !== undefined && Date.now() - other.mtimeMs > ABANDONED_MS;
    if (isAbandoned) await rm(lockFolder, { recursive: true, force: true });
    else await sleep(1000);
    return false;
  }
}

async function buildSite(): Promise<void> {
  for (const folder of [stageFolder, outputFolder])
    await rm(folder, { recursive: true, force: true });
  const pages = await stagePages(stageFolder);
  await build(root);
  await finishSite(outputFolder, pages);
  await writeFile(join(outputFolder, ".stamp"), wanted);
  await rm(siteFolder, { recursive: true, force: true });
  await rename(outputFolder, siteFolder);
  await rm(stageFolder, { recursive: true, force: true });
}

/** The site as one of several versions: `<folder>/0.2.0/`, and the list in `index.html` and `versions.json`. */
async function addVersion(folder: string, base: string): Promise<void> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  const target = join(folder, version);
  await rm(target, { recursive: true, force: true });
  await copyTo(target, `${base}${version}/`);
  const versions = versionsAmong(await readdir(folder));
  await writeFile(join(folder, "index.html"), writeVersionList(versions));
  // Read by the menu of each version, also of those that were built before.
  await writeFile(join(folder, "versions.json"), `${JSON.stringify(versions)}\n`);
}

/** The site for one address, as files that any server can serve. */
async function copyTo(target: string, base: string): Promise<void> {
  if (!/^\/([\w.-]+\/)*$/.test(base))
    throw new Error("--base is a path that begins and ends with a slash");
  for (const name of await readdir(siteFolder, { recursive: true })) {
    const file = join(siteFolder, name);
    if (extname(name) === "") continue;
    await mkdir(dirname(join(target, name)), { recursive: true });
    if (!/\.(html|js|css|md|txt|json)$/.test(name)) await cp(file, join(target, name));
    else {
      const text = await readFile(file, "utf8");
      await writeFile(join(target, name), text.replaceAll(basePlaceholder, base));
    }
  }
  process.stdout.write(`Wrote the site for ${base} to ${target}.\n`);
}
