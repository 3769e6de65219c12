// npm runs this after `npm ci`, before `npm start`, and before it packs these pages: builds the pages that the server
// serves, each unless it is newer than its sources. Where development tools are absent (--omit=dev) it leaves what is
// there.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const packages = new URL("../packages/", import.meta.url);
const shared = ["src/", "index.html", "vite.config.ts", "package.json", "../ui/src/"];
const pages = [
  {
    folder: "connect-ui/",
    name: "connect page",
    sources: [...shared, "l/index.html", "manage/index.html", "../frontend/src/"],
  },
  { folder: "dashboard/", name: "dashboard", sources: [...shared, "dev/index.html"] },
];

for (const { folder, name, sources } of pages) {
  const page = new URL(folder, packages);
  if (existsSync(page) && isOutdated(page, sources)) await buildPage(page, name);
}

function isOutdated(page, sources) {
  const built = new URL("dist/index.html", page);
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  return sources
    .flatMap((source) => listFiles(page, source))
    .some((file) => statSync(file).mtimeMs > builtAt);
}

function listFiles(page, name) {
  const place = new URL(name, page);
  if (!name.endsWith("/")) return [place];
  return readdirSync(place, { recursive: true }).map((path) => new URL(path, place));
}

async function buildPage(page, name) {
  const vite = findVite(page);
  if (vite === undefined) {
    process.stdout.write(`The ${name} is not built: development tools are not installed.\n`);
    return;
  }
  const { build } = await import(pathToFileURL(vite).href);
  // Elsewhere first: a server, or another build of the same tree, never finds a page that is half built.
  const cache = new URL("../node_modules/.cache/", import.meta.url);
  mkdirSync(cache, { recursive: true });
  const folder = pathToFileURL(`${mkdtempSync(fileURLToPath(new URL("page-", cache)))}/`);
  try {
    const outDir = fileURLToPath(new URL("dist/", folder));
    await build({ root: fileURLToPath(page), logLevel: "warn", build: { outDir } });
    replaceFolder(new URL("dist/", page), outDir, fileURLToPath(new URL("old/", folder)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`Built the ${name}.\n`);
}

/** Of two builds that end at the same time, the first to find the name free has it; what they made is the same. */
function replaceFolder(place, made, aside) {
  try {
    if (existsSync(place)) renameSync(place, aside);
    renameSync(made, place);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
  }
}

function findVite(page) {
  try {
    return createRequire(new URL("package.json", page)).resolve("vite");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}
