import { type LoadResult, runLoad } from "./load/run-load.ts";
import { type BenchRow, median } from "./meters/row.ts";
import { type ProxyTarget, startOurs } from "./proxy/proxy-setup.ts";
import { startChildServer } from "./servers/child-server.ts";

const LOAD = { callers: 16, durationMs: 1500 };
const WARM_UP = { callers: 32, durationMs: 4000 };
// More than elsewhere: what is looked for is a few percent.
const ROUNDS = 6;
/** Two processes of the same program differ by a few percent from their start on. */
const STARTS = 4;
const SCRAPED_EVERY_MS = 1000;
const METRICS_PORT = 39_464;

/** Each way, and what was measured of it in each round; rounds with the same index were measured next to each other. */
type Results = Map<string, LoadResult[]>;

/** What metrics and traces cost the hottest path: calls through the proxy, with them and without, in turn. */
export async function benchTelemetry(): Promise<BenchRow[]> {
  const results: Results = new Map();
  for (let start = 0; start < STARTS; start += 1) await measureOneStart(results);
  const own = results.get("off") ?? [];
  const baseline = { name: "off", value: median(own.map(({ perSecond }) => perSecond)) };
  return [...results].map(([name, all]) => {
    const middle = (read: (result: LoadResult) => number) => median(all.map(read));
    const share = (read: (result: LoadResult) => number) => {
      const shares = all.map((result, round) => {
        const base = own[round];
        return base === undefined ? Number.NaN : (100 * read(result)) / read(base);
      });
      return `${median(shares).toFixed(1)} %`;
    };
    return {
      name: `telemetry: ${name}`,
      value: middle(({ perSecond }) => perSecond),
      unit: "requests/s",
      ...(name === "off" ? {} : { baseline }),
      note:
        `${middle(({ cpuUs }) => cpuUs).toFixed(0)} µs CPU a request; round by round ` +
        `${share(({ perSecond }) => perSecond)} of the requests and ${share(({ cpuUs }) => cpuUs)} of the CPU of off`,
    };
  });
}

async function measureOneStart(results: Results): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startChildServer("bare-upstream.ts", []));
  const receiver = stack.use(await startChildServer("bare-upstream.ts", []));
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url };
  const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
  const ways = {
    off: {},
    // The same once more: what it differs by is what the machine and the start of a process do, not telemetry.
    "off, another process": {},
    "metrics, scraped": { SVC_METRICS_PORT: String(METRICS_PORT) },
    "traces of 1 %": { ...traces, ...sampler },
    "traces of all": traces,
  };
  const targets: ProxyTarget[] = [];
  for (const [name, settings] of Object.entries(ways)) {
    targets.push({ name, ...(await startOurs(stack, upstream.url, settings)) });
  }
  // Oftener than Prometheus would.
  const scraping = setInterval(() => void scrape(), SCRAPED_EVERY_MS);
  stack.defer(() => clearInterval(scraping));
  for (const target of targets) await runLoad(target, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Forth and back, so that a machine that grows slower is unfair to nobody.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const list = results.get(target.name) ?? [];
      results.set(target.name, [...list, await runLoad(target, LOAD)]);
    }
  }
}

async function scrape(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  await response.text();
}
