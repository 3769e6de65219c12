import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runLoad } from "../load/run-load.ts";
import { type BenchRow, median } from "../meters/row.ts";
import { BROWSERS, TOPICS } from "./browsers-at-rest.ts";
import type { Subject } from "./subject.ts";

const script = fileURLToPath(new URL("../load/browsers.ts", import.meta.url));
const LOAD = { callers: 16, durationMs: 4000, path: "/contacts" };
const ROUNDS = 8;

interface Way {
  readonly name: string;
  /** Share of what is measured without browsers, in percent. */
  readonly bar: number | undefined;
  readonly measure: () => Promise<number>;
  readonly values: number[];
}

/** Calls through the proxy while browsers are open in the environment of the calls, against those without, in turn. */
export async function measureProxyWithBrowsers(subject: Subject): Promise<BenchRow[]> {
  const { server, headers } = subject;
  const target = {
    name: "proxy",
    url: `${server.url}/proxy`,
    headers,
    processId: server.processId,
  };
  const load = async () => (await runLoad(target, LOAD)).perSecond;
  const withBrowsers = async (showsOperations: boolean) => {
    await using _browsers = await openBrowsers(subject, showsOperations);
    return await load();
  };
  const ways = [
    { name: "without browsers", bar: undefined, measure: load },
    // What is compared with itself shows what the machine does by itself.
    { name: "without browsers, once more", bar: undefined, measure: load },
    {
      name: `with ${BROWSERS} browsers open`,
      bar: 98,
      measure: async () => await withBrowsers(false),
    },
    {
      name: `with ${BROWSERS} browsers that show the list of operations`,
      bar: undefined,
      measure: async () => await withBrowsers(true),
    },
  ].map((way): Way => ({ ...way, values: [] }));
  await load();
  for (let round = 0; round < ROUNDS; round += 1) {
    // Forth and back, so that a machine that grows slower is unfair to nobody.
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      way.values.push(await way.measure());
    }
  }
  const [plain, ...others] = ways;
  const own = plain?.values ?? [];
  const baseline = { name: "without browsers", value: median(own) };
  return others.map(({ name, bar, values }) => {
    const shares = values.map((value, round) => (100 * value) / (own[round] ?? Number.NaN));
    return {
      name: `dashboard: proxy ${name}`,
      value: median(values),
      unit: "requests/s",
      baseline,
      note: `round by round ${median(shares).toFixed(1)} %${bar === undefined ? "" : `; bar ${bar} %`}`,
    };
  });
}

async function openBrowsers(
  { server, owner }: Subject,
  showsOperations: boolean,
): Promise<AsyncDisposable> {
  const plan = { url: server.url, headers: owner.headers, topics: TOPICS };
  const child = spawn(
    process.execPath,
    [script, JSON.stringify({ ...plan, browsers: BROWSERS, showsOperations })],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await opened(child);
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
      if (child.exitCode !== 0) throw new Error("a browser was cut off");
    },
  };
}

async function opened(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit").then(() => {
    throw new Error("the browsers did not open");
  });
  exited.catch(() => undefined);
  if (child.stdout === null) throw new Error("the browsers have no output");
  await Promise.race([once(child.stdout, "data"), exited]);
}
