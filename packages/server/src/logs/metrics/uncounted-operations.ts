import { defineCounter } from "#platform/instruments";

export const uncountedOperations = defineCounter({
  name: "svc_log_operations_uncounted_total",
  help: "Operations that the series and totals leave out: too many kinds at once, or the database was away.",
  unit: "{operation}",
  labels: [],
});
