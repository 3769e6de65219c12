import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";

// What reads a server's output may end, or stop reading: a shell's pipe, a collector of logs that restarts.

const cli = fileURLToPath(new URL("../../packages/cli/bin/jackfield.js", import.meta.url));

async function start(
  folder: DataFolder,
  before = "",
): Promise<{ child: ChildProcess; url: string }> {
  const command = `${before} exec "$0" "$@"`;
  const args = ["--conditions=jackfield-source", cli, "start"];
  const child = spawn("bash", ["-c", command, process.execPath, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...{ SVC_PORT: "0", SVC_DATA_DIR: folder.path, SVC_DRAIN_SECONDS: "0" },
      ...{ SVC_LOG_LEVEL: "info", SVC_LOG_REQUESTS: "true" },
    },
  });
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      printed += String(chunk);
      const found = /is ready at (\S+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${printed}`)));
  });
  return { child, url };
}

async function stop(child: ChildProcess): Promise<number | null> {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

/** Twice what a pipe holds, in lines of the log. */
const REQUESTS = 800;

async function ask(url: string): Promise<number> {
  let slowestMs = 0;
  for (let n = 0; n < REQUESTS; n += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
  return slowestMs;
}

test("a reader of the log that is gone ends no server", async () => {
  await using folder = await makeDataFolder();
  const { child, url } = await start(folder);
  child.stdout?.destroy();
  child.stderr?.destroy();

  await ask(url);

  expect(await stop(child)).toBe(0);
});

test.each([
  ["socket", ""],
  // The reader ends by itself.
  ["pipe", "exec 2> >(exec sleep 40);"],
])("a %s that nobody reads holds up neither requests nor the stop", async (_kind, before) => {
  await using folder = await makeDataFolder();
  const { child, url } = await start(folder, before);
  child.stderr?.pause();

  await ask(url);
  const startedAt = performance.now();
  const code = await stop(child);

  expect(code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test("what is logged until the end is there for a reader that reads", async () => {
  await using folder = await makeDataFolder();
  const { child, url } = await start(folder);
  let logged = "";
  child.stderr?.on("data", (chunk) => (logged += String(chunk)));
  const closed = once(child, "close");

  await ask(url);
  await stop(child);
  await closed;

  expect(logged.match(/"msg":"http.request"/g)?.length).toBe(REQUESTS);
});
