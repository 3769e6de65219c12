import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import "../../packages/server/src/index.ts";
import { createLogger } from "../../packages/server/src/foundation/index.ts";
import { startTelemetry } from "../../packages/server/src/foundation/telemetry/index.ts";
import { createTestContext } from "../../packages/server/src/foundation/testing/index.ts";
import { observeApp } from "../../packages/server/src/process/observe-app.ts";
import { defineTask, enqueueTask, startWorkers } from "../../packages/server/src/tasks/index.ts";
import { PoolCheck } from "../../packages/server/src/tasks/pool-check.ts";
import { requireTool } from "../require-tool.ts";
import { isKnownMetric, type Series, scrape, sumOf } from "./scrape.ts";

const run = promisify(execFile);
const rulesFile = fileURLToPath(new URL("../../deploy/prometheus/alerts.yaml", import.meta.url));

async function readRules(): Promise<{ alert: string; expr: string }[]> {
  return parse(await readFile(rulesFile, "utf8")).groups[0].rules;
}

test("the rules are rules, and their unit tests pass", async (context) => {
  const promtool = requireTool("promtool", context);
  const tests = rulesFile.replace("alerts.yaml", "alerts.test.yaml");

  const checked = await run(promtool, ["check", "rules", rulesFile]);
  const tested = await run(promtool, ["test", "rules", tests]);

  expect(checked.stdout).toContain(`${(await readRules()).length} rules found`);
  expect(tested.stdout).toContain("SUCCESS");
});

test("every metric that a rule names exists", async () => {
  const rules = await readRules();

  const names = rules.flatMap(({ expr }) => expr.match(/\bsvc_\w+/g) ?? []);
  expect(names.length).toBeGreaterThan(rules.length);
  expect(names.filter((name) => !isKnownMetric(name))).toEqual([]);
});

test("a queue that nobody works on shows in its metrics, and is alerted within a minute", async (context) => {
  const promtool = requireTool("promtool", context);
  await using app = await createTestContext();
  const { connectionString, db } = app.database;
  const task = defineTask<{ of: string }>({ name: "stuck", queue: "runs", maxAttempts: 1 });
  const log = createLogger("silent");
  const options = { connectionString, pooled: false, log, tasks: [], due: [], daily: [] };
  // Makes the tables of the queue.
  await using _workers = await startWorkers({ ...options, makeContext: () => app.ctx });
  await enqueueTask(app.ctx, task, { of: "a" });
  await sql`update graphile_worker._private_jobs set run_at = now() - interval '40 s'`.execute(db);
  // A pool that lives, holds nothing and asks for nothing.
  const pool = {
    queue: "runs",
    taskNames: ["stuck"],
    facts: () => ({ poolId: undefined, heldJobIds: [], idleMs: 40_000 }),
    replace: () => undefined,
  };
  await using check = new PoolCheck({ db, log, pools: [pool], overdueMs: 300, lostAfterMs: 300 });
  const workers = {
    get stalledQueues() {
      return check.stalledQueues;
    },
    idleMs: [{ queue: "runs", idleMs: 40_000 }],
    [Symbol.asyncDispose]: async () => {},
  };
  await using telemetry = await startTelemetry({
    settings: {
      endpoint: { host: "127.0.0.1", port: 0, key: undefined },
      otlp: {
        ...{ traces: undefined, metrics: undefined, metricsEveryMs: 60_000, batch: {} },
        sampler: { name: "always_on", ratio: 1 },
      },
      traceProviders: false,
    },
    version: "0.0.0",
    log,
  });
  const database = { connectionString, pooled: false };
  await using _observed = observeApp(app.ctx, { workers, database });
  await expect.poll(() => check.stalledQueues).toEqual(["runs"]);

  const { series } = await scrape(telemetry.port ?? 0);

  expect(sumOf(series, "svc_queue_stalled", { queue: "runs" })).toBe(1);
  expect(sumOf(series, "svc_queue_depth", { kind: "job stuck" })).toBe(1);
  expect(sumOf(series, "svc_queue_age_seconds", { kind: "job stuck" })).toBeGreaterThan(30);
  // What the process exported, as Prometheus would store it from the first scrape on.
  await expectAlert(promtool, series, () => true);
  // The process itself may be too sick to notice: seen from outside it is the same.
  await expectAlert(promtool, series, ({ name }) => name !== "svc_queue_stalled");
});

async function expectAlert(
  promtool: string,
  series: readonly Series[],
  isReported: (series: Series) => boolean,
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-alerts-"));
  const reported = series.filter((each) => each.name.startsWith("svc_queue_")).filter(isReported);
  const input_series = reported.map(({ text, value }) => ({
    series: text.replace("{", '{instance="a:9464",'),
    values: `_ ${value}x8`,
  }));
  const { annotations } = parse(await readFile(rulesFile, "utf8")).groups[0].rules[0];
  const description = String(annotations.description).replace(
    /\{\{ with.*?end \}\}/,
    "the queue runs",
  );
  const expected = {
    exp_labels: { severity: "critical", instance: "a:9464", queue: "runs" },
    exp_annotations: { summary: annotations.summary, description },
  };
  const alertname = "JackfieldQueueStalled";
  const file = join(folder.path, "stalled.test.yaml");
  const alert_rule_test = [
    { eval_time: "0s", alertname, exp_alerts: [] },
    { eval_time: "60s", alertname, exp_alerts: [expected] },
  ];
  const tests = [{ interval: "15s", input_series, alert_rule_test }];
  await writeFile(
    file,
    stringify({ rule_files: [rulesFile], evaluation_interval: "15s", tests }, { lineWidth: 0 }),
  );

  const { stdout } = await run(promtool, ["test", "rules", file]);

  expect(stdout).toContain("SUCCESS");
}
