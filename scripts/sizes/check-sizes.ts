// What a browser loads of the dashboard before it shows something, and of each screen after that, compressed.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const KILOBYTE = 1000;

const dist = fileURLToPath(new URL("../../packages/dashboard/dist/", import.meta.url));
/** Libraries that are loaded when something is shown that needs them, and not with a screen. */
const onDemand = { "time-chart": 115 * KILOBYTE, "code-editor": 110 * KILOBYTE };
const limits = { script: 260 * KILOBYTE, style: 14 * KILOBYTE, screen: 30 * KILOBYTE };

const page = readFileSync(`${dist}index.html`, "utf8");
const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
  ([, path]) => `${path}`,
);
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
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

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
