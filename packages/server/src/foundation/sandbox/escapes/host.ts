// The host of the escape attempts, in a process that may be lost: tells what each came to, a line of JSON each.
import { createServer } from "node:net";
import { CallError } from "../call-error.ts";
import { choosePlan } from "../launch/choose-plan.ts";
import { launch } from "../launch/launch.ts";
import { prepareRunnerFile } from "../launch/runner-file.ts";
import { Pool } from "../pool/pool.ts";
import { newFacts } from "../testing/test-facts.ts";
import { listWalls } from "../walls/index.ts";
import { escapeAttempts } from "./attempts.ts";

const AT_ONCE = 4;
const HEAP_MB = 128;

const [mode = "", dataDir = "", file = "", dir = "", pid = ""] = process.argv.slice(2);

let connections = 0;
const count = () => {
  connections += 1;
};
const tcp = createServer(count).listen(0, "127.0.0.1");
const unix = createServer(count).listen(`${dataDir}/canary.sock`);
const abstract = `jackfield-${process.pid}`;
const hidden = createServer(count).listen(`\0${abstract}`);
await Promise.all(
  [tcp, unix, hidden].map((server) => new Promise((done) => server.once("listening", done))),
);
const address = tcp.address();
const port = typeof address === "object" && address !== null ? address.port : 0;

const runnerFile = await prepareRunnerFile(dataDir);
const walls = mode === "bare" ? listWalls(dataDir).slice(-1) : listWalls(dataDir).slice(0, 1);
const { plan } = await choosePlan({ dataDir, runnerFile, heapMb: HEAP_MB, walls });
const pool = new Pool({
  ...{ maxChildren: AT_ONCE, maxIdle: 0, surplusMs: 0, heapMb: HEAP_MB },
  launch: () => launch(plan, { heapMb: HEAP_MB }),
  log: () => {},
});

const target = { file, dir, port, socket: `${dataDir}/canary.sock`, abstract, pid: Number(pid) };
const code = writeCode();
const queue = [...escapeAttempts.entries()];
await Promise.all(Array.from({ length: AT_ONCE }, work));
tell({ end: true, connections });
await pool.close();
process.exit(0);

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [index, { name, isTidy = false }] = next;
    const outcome = await pool.run({
      environmentId: isTidy ? "tidy" : `env-${index}`,
      connection: isTidy ? "tidy" : `connection-${index}`,
      bundle: { id: "attempts", filename: "crm/act.js", code },
      facts: newFacts(),
      input: Buffer.from(String(index)),
      timeoutMs: 10_000,
      exclusive: !isTidy,
      onCall: async ({ method }) => {
        throw new CallError({
          type: "script_internal_error",
          message: `${method} is refused here`,
        });
      },
    });
    const reported =
      outcome.kind === "done"
        ? Buffer.from(outcome.output).toString()
        : JSON.stringify(outcome.error);
    tell({ name, kind: outcome.kind, reported: reported.slice(0, 20_000), connections });
  }
}

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** All in one bundle: what is tried is the input. */
function writeCode(): string {
  const bodies = escapeAttempts.map(({ body }) => `async (svc, input) => { ${body} }`);
  return `
    const T = ${JSON.stringify(target)};
    const schema = { safeParseAsync: async (data) => ({ success: true, data }), safeParse: (data) => ({ success: true, data }) };
    const attempts = [${bodies.join(",\n")}];
    module.exports = { default: { type: "action", input: schema, output: schema, exec: (svc, index) => attempts[index](svc) } };`;
}
