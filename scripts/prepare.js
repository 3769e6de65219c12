// npm runs this after `npm ci` and before `npm start`: builds the hosted connect page unless it is newer
// than its sources. Where development tools are absent (--omit=dev) it leaves what is there.
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = new URL("../packages/connect-ui/", import.meta.url);
const sources = [
  "src/",
  "index.html",
  "vite.config.ts",
  "package.json",
  "../frontend/src/",
  "../ui/src/",
];

if (existsSync(page) && isOutdated()) await buildPage();

function isOutdated() {
  const built = new URL("dist/index.html", page);
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  return sources.flatMap(listFiles).some((file) => statSync(file).mtimeMs > builtAt);
}

function listFiles(name) {
  const place = new URL(name, page);
  if (!name.endsWith("/")) return [place];
  return readdirSync(place, { recursive: true }).map((path) => new URL(path, place));
}

async function buildPage() {
  const vite = findVite();
  if (vite === undefined) {
    process.stdout.write("The connect page is not built: development tools are not installed.\n");
    return;
  }
  const { build } = await import(pathToFileURL(vite).href);
  await build({ root: fileURLToPath(page), logLevel: "warn" });
  process.stdout.write("Built the connect page.\n");
}

function findVite() {
  try {
    return createRequire(new URL("package.json", page)).resolve("vite");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}
