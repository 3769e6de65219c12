import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CodeApp, startCodeApp } from "../testing/code-app.ts";

let app: CodeApp;

beforeAll(async () => {
  app = await startCodeApp();
});
beforeEach(async () => {
  await app.enter();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

/** Processes of scripts that this one has started. */
function listScriptProcesses(parent: number = process.pid): number[] {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
  return children
    .filter((text) => text !== "")
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("old-space-size=128"));
}

test("a script whose process is killed at each of its calls continues, and writes nothing twice", async () => {
  const { run } = await app.begin();
  const killedAt = new Set<number>();
  app.onArrived = ({ method, body }) => {
    if (method !== "POST") return;
    const { n } = JSON.parse(body);
    if (killedAt.has(n)) return;
    killedAt.add(n);
    // With all below it, as the server itself ends them.
    for (const pid of listScriptProcesses()) process.kill(-pid, "SIGKILL");
  };
  const code = `const random = Math.random(); const seen = [];
    for (let n = 0; n < 20; n += 1) seen.push((await tools.crm.addNote({ n, random })).id);
    return seen.length;`;

  let answer = await run(code);
  const codes: string[] = [];
  while (answer.handle !== undefined && codes.length < 30) {
    codes.push(answer.code);
    answer = await run({ resume: answer.handle });
  }

  const sent = app.arrived.filter(({ method }) => method === "POST");
  const bodies = sent.map(({ body }) => JSON.parse(body));
  expect(answer.value).toBe(20);
  // A kill may also hit the process that waits for the next attempt; then that attempt has to be made once more.
  const interrupted = codes.filter((each) => each === "script_interrupted");
  expect(interrupted.length).toBeGreaterThanOrEqual(20);
  expect(bodies.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(new Set(bodies.map(({ random }) => random)).size).toBe(1);
}, 60_000);

test("a client that goes away leaves a script that continues where it was", async () => {
  const { client, run } = await app.begin();
  const gone = new AbortController();
  app.onArrived = ({ method, body }) => {
    if (method === "POST" && JSON.parse(body).n === 1) gone.abort();
  };
  const code = "for (let n = 0; n < 4; n += 1) await tools.crm.addNote({ n }); return 'done';";

  await expect(
    client.callTool({ name: "run_code", arguments: { code } }, { signal: gone.signal }),
  ).rejects.toThrow();
  const answer = await run(code);

  const sent = app.arrived.filter(({ method }) => method === "POST");
  expect(answer.value).toBe("done");
  expect(sent.map(({ body }) => JSON.parse(body).n)).toEqual([0, 1, 2, 3]);
});
