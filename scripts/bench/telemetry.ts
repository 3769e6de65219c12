import { type LoadResult, runLoad } from "./load/run-load.ts";
import { type BenchRow, median } from "./meters/row.ts";
import { startOurs } from "./proxy/proxy-setup.ts";
import { startChildServer } from "./servers/child-server.ts";

const LOAD = { callers: 16, durationMs: 1500 };
const WARM_UP = { callers: 32, durationMs: 4000 };
// More than elsewhere: what is looked for is a few percent.
const ROUNDS = 15;
const SCRAPED_EVERY_MS = 1000;
const METRICS_PORT = 39_464;

/** What metrics and traces cost the hottest path: calls through the proxy, with them and without, in turn. */
export async function benchTelemetry(): Promise<BenchRow[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startChildServer("bare-upstream.ts", []));
  const receiver = stack.use(await startChildServer("bare-upstream.ts", []));
  const metrics = { SVC_METRICS_PORT: String(METRICS_PORT) };
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url };
  const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
  const off = { name: "off", ...(await startOurs(stack, upstream.url, {})) };
  const targets = [
    off,
    { name: "metrics, scraped", ...(await startOurs(stack, upstream.url, metrics)) },
    { name: "traces of 1 %", ...(await startOurs(stack, upstream.url, { ...traces, ...sampler })) },
    { name: "traces of all", ...(await startOurs(stack, upstream.url, traces)) },
  ];
  // Oftener than Prometheus would.
  const scraping = setInterval(() => void scrape(), SCRAPED_EVERY_MS);
  stack.defer(() => clearInterval(scraping));
  const results = new Map(targets.map((target) => [target, [] as LoadResult[]]));
  for (const target of targets) await runLoad(target, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Forth and back, so that a machine that grows slower is unfair to nobody.
    const order = round % 2 === 0 ? [...results] : [...results].toReversed();
    for (const [target, list] of order) list.push(await runLoad(target, LOAD));
  }
  const middle = (target: typeof off, read: (result: LoadResult) => number) =>
    median((results.get(target) ?? []).map(read));
  const baseline = { name: "off", value: middle(off, ({ perSecond }) => perSecond) };
  // Each compared with what was measured next to it: the machine is not equally fast for a minute.
  const share = (target: typeof off, read: (result: LoadResult) => number) => {
    const own = results.get(target) ?? [];
    const others = (results.get(off) ?? []).map(read);
    const shares = own.map((result, round) => (100 * read(result)) / (others[round] ?? Number.NaN));
    return `${median(shares).toFixed(1)} %`;
  };
  return targets.map((target) => ({
    name: `telemetry: ${target.name}`,
    value: middle(target, ({ perSecond }) => perSecond),
    unit: "requests/s",
    ...(target === off ? {} : { baseline }),
    note:
      `${middle(target, ({ cpuUs }) => cpuUs).toFixed(0)} µs CPU a request; round by round ` +
      `${share(target, ({ perSecond }) => perSecond)} of the requests and ` +
      `${share(target, ({ cpuUs }) => cpuUs)} of the CPU of off`,
  }));
}

async function scrape(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  await response.text();
}
