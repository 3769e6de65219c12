import { createServer } from "node:net";
import { listMetrics } from "../../packages/server/src/foundation/instruments/index.ts";

/** One line of /metrics. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** As exposed, without the value. */
  readonly text: string;
}

export function parseMetrics(text: string): Series[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", inner = "", value = ""] =
        /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === "") throw new Error(`not a line of metrics: ${line}`);
      const labels = Object.fromEntries(
        [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, label]) => [key, label]),
      );
      const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
      return { name, labels, value: number, text: line.slice(0, line.lastIndexOf(" ")) };
    });
}

/** The sum of all series of a name that have these labels; undefined where there is none. */
export function sumOf(
  series: readonly Series[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = series.filter(
    (each) =>
      each.name === name &&
      Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

export async function scrape(port: number, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  const text = await response.text();
  return { status: response.status, text, series: response.ok ? parseMetrics(text) : [] };
}

/** The name of a metric without what Prometheus adds to that of a histogram. */
export function isKnownMetric(name: string): boolean {
  return listMetrics().some(
    (metric) =>
      metric.name === name ||
      (metric.kind === "histogram" &&
        ["_bucket", "_sum", "_count"].some((end) => name === metric.name + end)),
  );
}

/** Free a moment ago: for a process that takes its port from a setting. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
