import type { SampleCall } from "./sample-call.ts";

/** Calls of the methods that read logs. */
export const logCalls: readonly SampleCall[] = [
  [
    "operations.list",
    (j) => j.operations.list({ states: ["failed"], limit: 5 }),
    "GET /logs/operations?states=failed&limit=5",
  ],
  [
    "operations.listNames",
    (j) => j.operations.listNames({ of: "functions", prefix: "con" }),
    "GET /logs/operations/names?of=functions&prefix=con",
  ],
  [
    "metrics.getSeries",
    (j) => j.metrics.getSeries({ of: "operations", by: "type", step: "1h" }),
    "GET /metrics/series?of=operations&by=type&step=1h",
  ],
  [
    "metrics.getTotals",
    (j) => j.metrics.getTotals({ by: "integration" }),
    "GET /metrics/totals?by=integration",
  ],
  [
    "metrics.getRecords",
    (j) => j.metrics.getRecords({ step: "1h" }),
    "GET /metrics/records?step=1h",
  ],
  [
    "operations.getHistogram",
    (j) => j.operations.getHistogram({ types: ["sync"], step: "1h" }),
    "GET /logs/operations/histogram?types=sync&step=1h",
  ],
  ["tapes.list", (j) => j.tapes.list({ function: "f" }), "GET /tapes?function=f"],
  ["tapes.get", (j) => j.tapes.get("o"), "GET /operations/o/tape"],
  ["tapes.delete", (j) => j.tapes.delete("o"), "DELETE /operations/o/tape"],
  ["tapes.listRules", (j) => j.tapes.listRules(), "GET /tape-rules"],
  [
    "tapes.setRule",
    (j) => j.tapes.setRule({ uniqueKey: "k", name: "f" }, { next_failure: true }),
    "PUT /integrations/k/functions/f/tape-rule",
    { next_failure: true },
  ],
  [
    "tapes.endRule",
    (j) => j.tapes.endRule({ uniqueKey: "k", name: "f", type: "sync" }),
    "DELETE /integrations/k/functions/f/tape-rule?type=sync",
  ],
  ["problems.list", (j) => j.problems.list({ state: "open" }), "GET /problems?state=open"],
  ["problems.get", (j) => j.problems.get("p"), "GET /problems/p"],
  [
    "problems.update",
    (j) => j.problems.update("p", { resolved: true }),
    "PATCH /problems/p",
    { resolved: true },
  ],
  ["operations.get", (j) => j.operations.get("o"), "GET /logs/operations/o"],
  [
    "operations.listMessages",
    (j) => j.operations.listMessages("o", { order: "desc" }),
    "GET /logs/operations/o/messages?order=desc",
  ],
];
