// The host of the native attempts: two functions of different environments hold secrets while a program behind the
// same walls tries to reach them. Tells what each attempt came to, a line of JSON each.
import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { choosePlan } from "../launch/choose-plan.ts";
import { launch, startIn } from "../launch/launch.ts";
import { prepareRunnerFile } from "../launch/runner-file.ts";
import { Pool } from "../pool/pool.ts";
import { newFacts } from "../testing/test-facts.ts";
import { listWalls, type SandboxLevel, type UserIds } from "../walls/index.ts";

const HEAP_MB = 128;
const LOW_PROCESS_NUMBERS = 300;
const SHARED_UID = 64_322;

const [level = "", dataDir = "", file = "", openDir = "", helper = "", setpriv] =
  process.argv.slice(2);

/** Which attempts a level answers for; `shared` is none: one user id for all, to see that the attempts find holes. */
const needs: Readonly<Record<string, string>> = {
  sealed: "prs",
  "private-root": "pr",
  namespaces: "p",
  users: "p",
  shared: "p",
};
const asked = `${needs[level] ?? ""}${setpriv === undefined || level === "sealed" ? "" : "s"}`;
const oneForAll: UserIds = {
  take: () => SHARED_UID,
  release: () => {},
  scripted: { first: SHARED_UID, count: 1 },
  [Symbol.dispose]: () => {},
};

let connections = 0;
const count = () => {
  connections += 1;
};
const tcp = createServer(count).listen(0, "0.0.0.0");
const unix = createServer(count).listen(`${dataDir}/native.sock`);
const abstract = `jackfield-native-${process.pid}`;
const hidden = createServer(count).listen(`\0${abstract}`);
await Promise.all(
  [tcp, unix, hidden].map((server) => new Promise((done) => server.once("listening", done))),
);
const address = tcp.address();
const port = typeof address === "object" && address !== null ? address.port : 0;

const wanted: string = level === "shared" ? ("users" satisfies SandboxLevel) : level;
const possible = listWalls(dataDir, setpriv).filter((wall) => wall.level === wanted);
// With a setpriv that filters system calls, the wall that has it do so.
const walls =
  setpriv === undefined ? possible : possible.filter((wall) => wall.filtersCalls).slice(-1);
const runnerFile = await prepareRunnerFile(dataDir);
const chosen = await choosePlan({ dataDir, runnerFile, heapMb: HEAP_MB, walls });
const plan = level === "shared" ? { ...chosen.plan, userIds: oneForAll } : chosen.plan;
const pool = new Pool({
  ...{ maxChildren: 4, maxIdle: 0, surplusMs: 0, heapMb: HEAP_MB },
  launch: () => launch(plan, { heapMb: HEAP_MB }),
  log: () => {},
});

const ends = Promise.withResolvers<void>();
const victims = ["one", "two"].map((environment) => {
  const hasStarted = Promise.withResolvers<void>();
  const outcome = pool.run({
    environmentId: environment,
    connection: environment,
    bundle: { id: "victim", filename: "crm/act.js", code: writeVictim() },
    facts: newFacts(),
    input: Buffer.from(JSON.stringify(`canary-native-${environment}`)),
    timeoutMs: 120_000,
    exclusive: true,
    onCall: async () => {
      hasStarted.resolve();
      await ends.promise;
      return { value: [] };
    },
  });
  return { hasStarted: hasStarted.promise, outcome };
});
await Promise.all(victims.map(({ hasStarted }) => hasStarted));

const datagrams = createSocket("udp4").on("message", count).bind(port, "0.0.0.0");
await new Promise((done) => datagrams.once("listening", done));
const key = String(process.pid);
spawnSync(helper, ["plant", key]);
const cell = await plan.wall.prepare({ path: helper, files: [], tasks: 64 });
const outside = [process.pid, ...descendantsOf(process.pid)].map(String);
const sweep = level === "sealed" || level === "private-root" ? LOW_PROCESS_NUMBERS : 0;
const child = startIn(plan, cell, [
  ...[asked, file, dataDir, openDir, `${dataDir}/native.sock`, abstract],
  ...[String(port), key, String(sweep), ...outside],
]);
let reported = "";
child.stderr?.on("data", (chunk: Buffer) => {
  reported += chunk.toString();
});
const code = await new Promise((done) => child.once("close", done));
spawnSync(helper, ["unplant", key]);
await sleep(50);
for (const line of reported.split("\n").filter((text) => text !== "")) {
  const [result, name, words] = line.split("\t");
  tell(name === undefined ? { end: result } : { result, name, words });
}

ends.resolve();
// Where the attempts reach them, what they did to the victims may keep these from ever ending.
const ended = level === "shared" ? [] : victims.map(({ outcome }) => outcome);
const outcomes = await Promise.all(ended);
tell({ code, connections, victims: outcomes.map(({ kind }) => kind) });
await pool.close();
process.exit(0);

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  if (children === "") return [];
  return children
    .split(" ")
    .map(Number)
    .flatMap((next) => [next, ...descendantsOf(next)]);
}

/** Keeps its input in memory while it waits for the host. */
function writeVictim(): string {
  return `
    const schema = { safeParseAsync: async (data) => ({ success: true, data }), safeParse: (data) => ({ success: true, data }) };
    module.exports = { default: { type: "action", input: schema, output: schema,
      exec: async (svc, secret) => { await svc.getEnvironmentVariables(); return secret.length; } } };`;
}
