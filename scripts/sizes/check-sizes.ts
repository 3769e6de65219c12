// What a browser loads of the dashboard and of the connect page before it shows something, and of each screen after
// that, compressed.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const KILOBYTE = 1000;

const dist = fileURLToPath(new URL("../../packages/dashboard/dist/", import.meta.url));
/** Libraries that are loaded when something is shown that needs them, and not with a screen. */
const onDemand = { "time-chart": 115 * KILOBYTE, "code-editor": 110 * KILOBYTE };
const limits = { script: 260 * KILOBYTE, style: 14 * KILOBYTE, screen: 30 * KILOBYTE };

const connectDist = fileURLToPath(new URL("../../packages/connect-ui/dist/", import.meta.url));
/** End users load it on a telephone. Languages and what explains scopes come after it, each when it is needed. */
const connectLimits = { script: 90 * KILOBYTE, onDemand: 6 * KILOBYTE };

const first = listFirst(dist, "index.html");
const all = readdirSync(`${dist}assets`).map((name) => `assets/${name}`);
const scripts = first.filter((path) => path.endsWith(".js"));
const problems = [
  ...tooLarge("scripts of the first load", scripts, limits.script),
  ...tooLarge(
    "styles",
    all.filter((path) => path.endsWith(".css")),
    limits.style,
  ),
  ...all
    .filter((path) => path.endsWith(".js") && !scripts.includes(path))
    .flatMap((path) => tooLarge(path, [path], onDemandLimit(path) ?? limits.screen)),
  ...all.filter((path) => path.endsWith(".js")).flatMap(findEarlyLoads),
  ...checkConnectPages(),
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Files that a page loads at once. */
function listFirst(folder: string, page: string): string[] {
  const html = readFileSync(`${folder}${page}`, "utf8");
  return [...html.matchAll(/(?:src|href)="[./]+\/(assets\/[^"]+)"/g)].map(([, path]) => `${path}`);
}

function checkConnectPages(): string[] {
  const sizeOf = (path: string): number => gzipSync(readFileSync(connectDist + path)).length;
  const pages = ["index.html", "l/index.html", "manage/index.html"];
  const firsts = pages.map((page) => ({
    page,
    scripts: listFirst(connectDist, page).filter((path) => path.endsWith(".js")),
  }));
  const atOnce = new Set(firsts.flatMap(({ scripts }) => scripts));
  const later = readdirSync(`${connectDist}assets`)
    .map((name) => `assets/${name}`)
    .filter((path) => path.endsWith(".js") && !atOnce.has(path));
  const found = [
    ...firsts.map(({ page, scripts }) => {
      const bytes = scripts.reduce((sum, path) => sum + sizeOf(path), 0);
      return { what: `scripts of ${page}`, bytes, most: connectLimits.script };
    }),
    ...later.map((path) => ({ what: path, bytes: sizeOf(path), most: connectLimits.onDemand })),
  ];
  if (process.argv.includes("--list"))
    for (const { what, bytes } of found) console.log(what, bytes);
  return found
    .filter(({ bytes, most }) => bytes > most)
    .map(({ what, bytes, most }) => `${what}: ${bytes} bytes compressed, ${most} are allowed`);
}

function tooLarge(what: string, paths: readonly string[], most: number): string[] {
  const bytes = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  return bytes > most ? [`${what}: ${bytes} bytes compressed, ${most} are allowed`] : [];
}

function onDemandLimit(path: string): number | undefined {
  return Object.entries(onDemand).find(([name]) => path.startsWith(`assets/${name}-`))?.[1];
}

/** What is on demand and is nevertheless loaded with a file. */
function findEarlyLoads(path: string): string[] {
  const text = readFileSync(`${dist}${path}`, "utf8");
  return [...text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)].flatMap(([, name]) =>
    onDemandLimit(`assets/${name}`) === undefined ? [] : [`${path} loads ${name} with itself`],
  );
}

/** As gzip, which every client takes; small files are sent as they are. */
function sizeOf(path: string): number {
  const compressed = statSync(`${dist}${path}.gz`, { throwIfNoEntry: false });
  return (compressed ?? statSync(`${dist}${path}`)).size;
}
