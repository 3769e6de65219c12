import {
  inboxConnectionRoutes,
  recordDriftRoutes,
  recordQuarantineRoutes,
  syncReconciliationRoutes,
} from "@jackfield/contract";
import { expect, test } from "vitest";
import { watchCommands } from "../../testing/watch-commands.ts";

const { listQuarantine, listQuarantineSamples } = recordQuarantineRoutes;
const at = "2026-01-02T03:04:05.000Z";
const reason = {
  ...{ id: 1, pointer: "", code: "invalid_type", expected: "string", received: "null" },
  ...{ count: 3, first_seen_at: at, last_seen_at: at },
};
const quarantined = listQuarantine.success.schema.parse({
  data: [
    {
      ...{ provider_config_key: "crm", connection_id: "acme", model: "Contact", variant: "v2" },
      ...{ count: 3, since: at, reasons: [reason, { ...reason, id: 0, expected: null }] },
    },
  ],
  next_cursor: null,
});
const samples = listQuarantineSamples.success.schema.parse({
  data: [{ id: "7", reason: 1, noted_at: at, record: { id: "7", name: null } }],
});

const commands = watchCommands();

async function run(...options: string[]): Promise<void> {
  await call("quarantine", ...options);
}

async function call(...options: string[]): Promise<void> {
  await commands.run("records", ...options);
}

test("a line for each reason says where and how many records do not match", async () => {
  commands.answers = [quarantined];

  await run("-i", "crm", "--connection", "acme", "--model", "Contact");

  expect(commands.asked).toEqual([
    "GET /records/quarantine?limit=100&provider_config_key=crm&connection_id=acme&model=Contact",
  ]);
  expect(
    commands.printed
      .split("\n")
      .slice(0, 3)
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["CONNECTION", "MODEL", "RECORDS", "WHERE", "FAULT", "EXPECTED", "RECEIVED", "LAST SEEN"],
    ["crm/acme", "Contact::v2", "3", "(record)", "invalid_type", "string", "null", at],
    ["crm/acme", "Contact::v2", "3", "(record)", "invalid_type", "-", "null", at],
  ]);
});

test("without a quarantined record one line says so", async () => {
  commands.answers = [{ data: [], next_cursor: null }];

  await run();

  expect(commands.printed).toBe("Nothing is quarantined.\n");
});

test("--json prints the answer as the API gave it", async () => {
  commands.answers = [quarantined];

  await run("--json");

  expect(JSON.parse(commands.printed)).toEqual(quarantined);
});

test("samples are those of one model of a connection, a JSON object in each line", async () => {
  commands.answers = [samples];

  await run("--samples", "-i", "crm", "--connection", "acme", "--model", "Contact::v2");

  expect(commands.asked).toEqual([
    "GET /records/quarantine/samples?provider_config_key=crm&connection_id=acme&model=Contact&limit=250&variant=v2",
  ]);
  expect(JSON.parse(commands.printed)).toEqual(samples.data[0]);
});

test("samples without the model or the connection are refused before anything is asked", async () => {
  commands.answers = [];

  await expect(run("--samples", "-i", "crm")).rejects.toThrow("--samples needs");
  expect(commands.asked).toEqual([]);
});

test("drift has a line for each field that differs, with its types and what was expected", async () => {
  const seen = { first_seen_at: at, last_seen_at: at };
  const field = {
    ...{ pointer: "/name", findings: ["unexpected_type", "type_changed"], in_schema: true },
    ...{ expected: ["string", "null"], null_share: 0.123, null_share_before: null },
    ...{ missing_share: 0, ...seen },
    types: [
      { type: "string", count: 40, ...seen },
      { type: "number", count: 2, ...seen },
    ],
  };
  const model = {
    ...{ provider_config_key: "crm", connection_id: "acme", model: "Contact", variant: "base" },
    ...{ sampled_records: 42, since: at, last_sampled_at: at, more_fields: false },
  };
  const none = { data: [{ ...model, fields: [] }], next_cursor: null };
  commands.answers = [{ data: [{ ...model, fields: [field] }], next_cursor: null }, none].map(
    (answer) => recordDriftRoutes.listDrift.success.schema.parse(answer),
  );

  await call("drift", "--model", "Contact");
  await call("drift", "--all");

  expect(commands.asked).toEqual([
    "GET /records/drift?limit=50&fields=odd&model=Contact",
    "GET /records/drift?limit=50&fields=all",
  ]);
  const lines = commands.printed.split("\n");
  expect(lines[1]?.split(/ {2,}/)).toEqual([
    ...["crm/acme", "Contact", "/name", "unexpected_type,type_changed"],
    ...["string 40, number 2", "string|null", "12 %", at],
  ]);
  expect(lines[2]).toBe("No field differs from its schema or from before.");
});

test("webhooks arrivals and missed have a line for each connection, and for each day of a model", async () => {
  const named = { provider_config_key: "crm", connection_id: "acme" };
  const arrivals = {
    ...{ ...named, received: 9, duplicates: 2, since: at, last_received_at: at },
    ...{ longest_interval_seconds: 60, expected_within_seconds: 3600, silent_since: null },
    sequence: { highest: 9, missing: 1, ranges: [{ first: 3, last: 3 }], repeated: 0 },
  };
  const day = { day: "2026-01-02", scheduled_runs: 4 };
  const missed = {
    ...named,
    ...day,
    model: "Contact",
    changes_by_webhooks: 5,
    missed_by_webhooks: 1,
  };
  const none = { data: [], next_cursor: null };
  const { listWebhookArrivals } = inboxConnectionRoutes;
  const { listReconciliations } = syncReconciliationRoutes;
  commands.answers = [
    listWebhookArrivals.success.schema.parse({ data: [arrivals], next_cursor: null }),
    listReconciliations.success.schema.parse({ data: [missed], next_cursor: null }),
    none,
    none,
  ];

  await commands.run("webhooks", "arrivals", "-i", "crm", "--connection", "acme");
  await commands.run("webhooks", "missed", "--model", "Contact");
  await commands.run("webhooks", "arrivals", "--silent");
  await commands.run("webhooks", "missed", "--all");

  expect(commands.asked).toEqual([
    "GET /webhooks/inbox/connections?limit=500&provider_config_key=crm&connection_id=acme",
    "GET /syncs/reconciliations?limit=500&model=Contact&missed=true",
    "GET /webhooks/inbox/connections?limit=500&silent=true",
    "GET /syncs/reconciliations?limit=500",
  ]);
  const lines = commands.printed.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines[1]).toEqual(["crm/acme", "9", "2", "1", at, "3600 s", "-"]);
  expect(lines[3]).toEqual(["2026-01-02", "crm/acme", "Contact", "5", "1", "4"]);
  expect(lines.slice(4, 6)).toEqual([["No connection is silent."], ["Webhooks missed nothing."]]);
});

test("prune counts first, and removes content only with --yes, until nothing is left", async () => {
  commands.answers = [
    { count: 3, has_more: false },
    { count: 2, has_more: true },
    { count: 1, has_more: false },
  ];
  const target = ["Contact", "-i", "crm", "--connection", "acme", "--before", "2026-01-01"];

  await call("prune", ...target);
  await call("prune", ...target, "--yes");
  const wrong = call("prune", ...target.slice(0, -1), "soon", "--yes");

  await expect(wrong).rejects.toThrow("soon is not a time in ISO 8601.");
  expect(commands.asked).toEqual([
    "GET /records/prune/count?model=Contact&before=2026-01-01T00%3A00%3A00.000Z",
    "PATCH /records/prune",
    "PATCH /records/prune",
  ]);
  expect(commands.printed).toBe(
    "3 records would lose their content. Add --yes to prune them.\n3 records lost their content.\n",
  );
});
