import type { SampleCall } from "./sample-call.ts";

/** Calls of the methods that read logs. */
export const logCalls: readonly SampleCall[] = [
  [
    "listOperations",
    (j) => j.listOperations({ states: ["failed"], limit: 5 }),
    "GET /logs/operations?states=failed&limit=5",
  ],
  [
    "listOperationNames",
    (j) => j.listOperationNames({ of: "functions", prefix: "con" }),
    "GET /logs/operations/names?of=functions&prefix=con",
  ],
  [
    "getMetricSeries",
    (j) => j.getMetricSeries({ of: "operations", by: "type", step: "1h" }),
    "GET /metrics/series?of=operations&by=type&step=1h",
  ],
  [
    "getMetricTotals",
    (j) => j.getMetricTotals({ by: "integration" }),
    "GET /metrics/totals?by=integration",
  ],
  [
    "getOperationHistogram",
    (j) => j.getOperationHistogram({ types: ["sync"], step: "1h" }),
    "GET /logs/operations/histogram?types=sync&step=1h",
  ],
  ["listProblems", (j) => j.listProblems({ state: "open" }), "GET /problems?state=open"],
  ["getProblem", (j) => j.getProblem("p"), "GET /problems/p"],
  [
    "updateProblem",
    (j) => j.updateProblem("p", { resolved: true }),
    "PATCH /problems/p",
    { resolved: true },
  ],
  ["getOperation", (j) => j.getOperation("o"), "GET /logs/operations/o"],
  [
    "listOperationMessages",
    (j) => j.listOperationMessages("o", { order: "desc" }),
    "GET /logs/operations/o/messages?order=desc",
  ],
];
