import type { Jackfield } from "../index.ts";

/** Those of records. */
export const recordCalls: readonly [
  string,
  (client: Jackfield) => Promise<unknown>,
  string,
  unknown?,
][] = [
  [
    "records.list",
    (j) =>
      j.records.list({
        providerConfigKey: "crm",
        connectionId: "c",
        model: "Contact",
        filter: ["added", "updated"],
        ids: ["1", "2"],
      }),
    "GET /records?model=Contact&ids=1&ids=2&filter=added%2Cupdated",
  ],
  [
    "records.get",
    (j) => j.records.get({ providerConfigKey: "crm", connectionId: "c 1", model: "A", id: "x/1" }),
    "GET /records/x%2F1?model=A",
  ],
  [
    "records.listModels",
    (j) => j.records.listModels({ model: "A", limit: 5 }),
    "GET /records/models?model=A&limit=5",
  ],
  ["records.listHistories", (j) => j.records.listHistories(), "GET /records/history"],
  [
    "records.keepHistory",
    (j) => j.records.keepHistory("A", { days: 30 }),
    "PUT /records/history/A",
    { days: 30 },
  ],
  ["records.endHistory", (j) => j.records.endHistory("A"), "DELETE /records/history/A"],
  [
    "records.listDrift",
    (j) => j.records.listDrift({ model: "A", fields: "all" }),
    "GET /records/drift?model=A&fields=all",
  ],
  [
    "records.listQuarantine",
    (j) => j.records.listQuarantine({ model: "A", limit: 5 }),
    "GET /records/quarantine?model=A&limit=5",
  ],
  [
    "records.listQuarantineSamples",
    (j) =>
      j.records.listQuarantineSamples({
        provider_config_key: "crm",
        connection_id: "c",
        model: "A",
      }),
    "GET /records/quarantine/samples?provider_config_key=crm&connection_id=c&model=A",
  ],
  [
    "records.prune",
    (j) =>
      j.records.prune({
        providerConfigKey: "k",
        connectionId: "c",
        model: "M",
        untilCursor: "x",
      }),
    "PATCH /records/prune",
    { model: "M", until_cursor: "x" },
  ],
  [
    "records.countPrunable",
    (j) =>
      j.records.countPrunable({
        providerConfigKey: "k",
        connectionId: "c",
        model: "M",
        before: "2026-01-01T00:00:00Z",
      }),
    "GET /records/prune/count?model=M&before=2026-01-01T00%3A00%3A00Z",
  ],
];
