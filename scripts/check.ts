// `npm run check`: everything that a commit must pass, in parallel; prints only what fails.
import { spawn } from "node:child_process";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** What has to be made before it. */
  readonly before?: readonly string[];
}

// Two checks run at once, each on a core: what TypeScript and the linter of promises (both in Go) would do in more
// threads they would do several times over. They end before they need as much memory as would be worth collecting:
// the types of everything need 3.4 GB, and take twice the time with a limit of 2 GiB.
const memoryEach = Math.max(2, Math.floor(totalmem() / 1024 ** 3 / 4));
const goSettings = { GOMAXPROCS: "1", GOGC: "off", GOMEMLIMIT: `${memoryEach}GiB` };
const oneChecker = ["--checkers", "1"];
// The second run in a checkout reads what the first has found of files that are still the same.
const cache = join(import.meta.dirname, "../node_modules/.cache");
const typesOf = (name: string): readonly string[] => [
  ...oneChecker,
  "--incremental",
  "--tsBuildInfoFile",
  join(cache, "types", `${name}.tsbuildinfo`),
];
const environment = { ...goSettings, NODE_COMPILE_CACHE: join(cache, "compiled") };

const node = [process.execPath, "--conditions=jackfield-source"];
const checks: readonly Check[] = [
  // First, since it takes longest.
  {
    name: "promises",
    command: [
      "oxlint",
      "--type-aware",
      "--allow=all",
      "--deny=typescript/no-floating-promises",
      "--deny=typescript/no-misused-promises",
      "packages",
      "scripts",
      "tests",
    ],
  },
  { name: "types", command: ["tsc", "-p", "tsconfig.json", ...typesOf("root")] },
  {
    name: "sizes of pages",
    before: [process.execPath, "scripts/prepare.js"],
    command: [...node, "scripts/sizes/check-sizes.ts"],
  },
  { name: "types in the browser client", command: ["tsc", "-p", "packages/frontend"] },
  { name: "types in the React package", command: ["tsc", "-p", "packages/react"] },
  { name: "types in what pages share", command: ["tsc", "-p", "packages/ui"] },
  { name: "types in the connect page", command: ["tsc", "-p", "packages/connect-ui"] },
  { name: "types in the theme of the docs site", command: ["tsc", "-p", "packages/docs-site"] },
  {
    name: "types in the dashboard",
    command: ["tsc", "-p", "packages/dashboard", ...typesOf("dashboard")],
  },
  { name: "format, lint, boundaries", command: ["biome", "check", "--error-on-warnings", "."] },
  { name: "dead code", command: ["knip"] },
  { name: "generated files", command: [...node, "scripts/generate.ts", "--check"] },
  { name: "house rules", command: [...node, "scripts/checks/main.ts"] },
];

const queue = [...checks];
const failed: string[] = [];
const startedAt = performance.now();
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(
  failed.length === 0
    ? `check: ${checks.length} checks passed in ${seconds} s`
    : `check: failed: ${failed.join(", ")} (${seconds} s)`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
    for (const command of [check.before ?? [], check.command]) {
      if (command.length === 0) continue;
      const { code, output } = await run(command);
      if (code === 0) continue;
      failed.push(check.name);
      console.log(`\n== ${check.name}\n${output.trimEnd()}`);
      break;
    }
  }
}

async function run([program = "", ...args]: readonly string[]): Promise<{
  code: number;
  output: string;
}> {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      // biome-ignore lint/style/noProcessEnv: checks run as they do when called by hand
      env: { ...process.env, ...environment },
    });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
