import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import * as z from "zod";
import "../../packages/server/src/index.ts";
import { findTypeFaults } from "../compile-literals.ts";
import { requireTool } from "../require-tool.ts";
import { isKnownMetric } from "./scrape.ts";

const file = new URL("../../deploy/grafana/jackfield.json", import.meta.url);

const source = z.strictObject({
  type: z.literal("prometheus"),
  uid: z.string().regex(/^\$\{datasource\}$/),
});
const position = z.strictObject({
  x: z.int().min(0).max(23),
  y: z.int().min(0),
  w: z.int().min(1).max(24),
  h: z.int().min(1),
});
const row = z.strictObject({
  id: z.int(),
  type: z.literal("row"),
  title: z.string().min(1),
  collapsed: z.literal(false),
  gridPos: position,
  panels: z.tuple([]),
});
const panel = z.strictObject({
  id: z.int(),
  type: z.enum(["timeseries", "stat"]),
  title: z.string().min(1),
  description: z.string(),
  datasource: source,
  gridPos: position,
  fieldConfig: z.strictObject({ defaults: z.object({ unit: z.string() }), overrides: z.tuple([]) }),
  options: z.looseObject({}),
  targets: z
    .array(
      z.strictObject({
        refId: z.string().regex(/^[A-Z]$/),
        datasource: source,
        expr: z.string().min(1),
        legendFormat: z.string(),
        range: z.literal(true),
      }),
    )
    .min(1),
});
const variable = z.looseObject({
  name: z.string().regex(/^\w+$/),
  type: z.enum(["datasource", "query"]),
});
/** What of Grafana's dashboard model (schema version 39) this one uses. */
const dashboard = z.looseObject({
  uid: z.string().max(40),
  title: z.string().min(1),
  schemaVersion: z.literal(39),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(variable) }),
  panels: z.array(z.discriminatedUnion("type", [row, panel])),
});

async function readDashboard() {
  return dashboard.parse(JSON.parse(await readFile(file, "utf8")));
}

async function listQueries(): Promise<string[]> {
  const { panels } = await readDashboard();
  return panels.flatMap((each) => ("targets" in each ? each.targets.map(({ expr }) => expr) : []));
}

test("the dashboard has the form of one, and its panels a place each", async () => {
  const { panels, templating } = await readDashboard();

  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  );
  expect(new Set(taken).size).toBe(taken.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  expect(templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
});

const optionsOf: Readonly<Record<string, string>> = {
  timeseries: "timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen",
  stat: "stat/panelcfg/x/StatPanelCfg_types.gen",
};
const types = "@grafana/schema";

/** Where a dashboard differs from the schema that Grafana publishes as types: values, and fields that there are not. */
async function findSchemaFaults({ panels, ...rest }: Record<string, unknown>): Promise<string[]> {
  const typed = z.array(z.looseObject({ type: z.string() })).parse(panels);
  const declared = typed.map((each, n) => {
    const options = optionsOf[each.type];
    const own = `import("${types}/dist/esm/raw/composable/${options}").Options`;
    const type = options === undefined ? "RowPanel" : `Panel & { options: ${own} }`;
    return `export const panel${n}: Plain<${type}> = ${JSON.stringify(each)};`;
  });
  return await findTypeFaults(`
import type { Dashboard, Panel as GrafanaPanel, RowPanel } from "${types}/dist/esm/raw/dashboard/x/Dashboard_types.gen";
// JSON has the value of an enum where a program has its name.
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;
type Panel = Omit<GrafanaPanel, "options">;
export const dashboard: Plain<Dashboard> = ${JSON.stringify(rest)};
${declared.join("\n")}`);
}

test("Grafana's own schema has every field of it", async () => {
  const { panels, ...rest } = await readDashboard();

  expect(await findSchemaFaults({ ...rest, panels })).toEqual([]);
});

test("a wrong value or an unknown field does not pass that schema", async () => {
  const { panels, ...rest } = await readDashboard();
  const [chart] = panels.filter(({ type }) => type === "timeseries");
  const [stat] = panels.filter(({ type }) => type === "stat");
  const broken = [
    { ...chart, titel: "misspelt" },
    { ...chart, gridPos: { x: "0", y: 0, w: 1, h: 1 } },
    {
      ...chart,
      options: { legend: { displayMode: "lst", placement: "bottom", showLegend: true } },
    },
    { ...stat, options: { colourMode: "value" } },
  ];

  const faults = await findSchemaFaults({ ...rest, graphTooltip: 7, panels: broken });

  const text = faults.join("\n");
  for (const word of ["7", "titel", "string", "lst", "colourMode"]) expect(text).toContain(word);
});

test("every metric that a panel asks for exists", async () => {
  const names = (await listQueries()).flatMap((query) => query.match(/\bsvc_\w+/g) ?? []);

  expect(names.filter((name) => !isKnownMetric(name))).toEqual([]);
});

test("every query of a panel is one that Prometheus understands", async (context) => {
  const promtool = requireTool("promtool", context);
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-dashboard-"));
  const rules = (await listQueries()).map((query, n) => ({
    record: `panel_${n}`,
    expr: query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"),
  }));
  const path = join(folder.path, "queries.yaml");
  await writeFile(path, stringify({ groups: [{ name: "panels", rules }] }, { lineWidth: 0 }));

  const { stdout } = await promisify(execFile)(promtool, ["check", "rules", path]);

  expect(stdout).toContain(`${rules.length} rules found`);
});
