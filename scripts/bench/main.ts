// `npm run bench [row …]`: speed and memory; ratios compare with a baseline of the same run. Some rows have parts, which
// can be named: `npm run bench dashboard:json`. Where a row misses its bar, the run fails once all rows are measured.
import { benchAgents } from "./agents/bench-agents.ts";
import { benchApi } from "./api.ts";
import { benchCost } from "./cost.ts";
import { benchDashboard } from "./dashboard/bench-dashboard.ts";
import { benchFairness } from "./fairness.ts";
import { benchFootprint } from "./footprint.ts";
import { benchFunctions } from "./functions.ts";
import { benchLists } from "./lists/lists.ts";
import { benchLogs } from "./logs.ts";
import { type Bar, type BenchRow, missesBar } from "./meters/row.ts";
import { benchProxy } from "./proxy/proxy.ts";
import { benchQuarantine } from "./records/quarantine.ts";
import { benchRecords } from "./records/records.ts";
import { benchLargeRecords } from "./records/records-large.ts";
import { benchRefreshes } from "./refreshes.ts";
import { benchScale } from "./scale/scale.ts";
import { benchSignIn } from "./sign-in.ts";
import { benchSyncs } from "./syncs.ts";
import { benchTapes } from "./tapes.ts";
import { benchTelemetry } from "./telemetry.ts";
import { benchWebhooksFlood } from "./webhooks/webhooks-flood.ts";
import { benchWebhooksIn } from "./webhooks/webhooks-in.ts";
import { benchWebhooksOut } from "./webhooks/webhooks-out.ts";

const rows = {
  api: benchApi,
  proxy: benchProxy,
  records: benchRecords,
  "records-large": benchLargeRecords,
  quarantine: benchQuarantine,
  syncs: benchSyncs,
  refreshes: benchRefreshes,
  functions: benchFunctions,
  tapes: benchTapes,
  agents: benchAgents,
  dashboard: benchDashboard,
  fairness: benchFairness,
  lists: benchLists,
  logs: benchLogs,
  "webhooks-in": benchWebhooksIn,
  "webhooks-flood": benchWebhooksFlood,
  "webhooks-out": benchWebhooksOut,
  telemetry: benchTelemetry,
  "sign-in": benchSignIn,
  cost: benchCost,
  footprint: benchFootprint,
};
/** Only where it is named: it takes an hour and 25 GB of disk. */
const large = { scale: benchScale };

const wanted = process.argv.slice(2);
const missed: string[] = [];
for (const [name, bench] of Object.entries({ ...rows, ...large })) {
  const asked = wanted.filter((text) => text === name || text.startsWith(`${name}:`));
  if (wanted.length > 0 ? asked.length === 0 : Object.hasOwn(large, name)) continue;
  const parts = asked.flatMap((text) => text.split(":").slice(1));
  for await (const row of await bench(parts)) {
    print(row);
    if (missesBar(row)) missed.push(row.name);
  }
}
if (missed.length > 0) {
  console.log(
    `\n${missed.length} missed their bar:\n${missed.map((name) => `  ${name}`).join("\n")}`,
  );
  process.exitCode = 1;
}

function print({ name, value, unit, baseline, note, bar }: BenchRow): void {
  const ratio =
    baseline === undefined
      ? ""
      : `  ${((100 * value) / baseline.value).toFixed(0)} % of ${baseline.name} (${format(baseline.value)})`;
  const notes = [note, bar && describeBar(bar)].filter((text) => text !== undefined).join("; ");
  console.log(`${name}: ${format(value)} ${unit}${ratio}${notes === "" ? "" : `  (${notes})`}`);
}

function describeBar({ most, percent }: Bar): string {
  return `bar ${most}${percent === undefined ? "" : `, and ${percent} % of it`}`;
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
}
