import { defineCounter } from "#platform/instruments";

export const leftOutRows = defineCounter({
  name: "svc_log_rows_dropped_total",
  help: "Rows missing from the log of operations, by reason: limits of an operation or a day, too many at once, refused or lost.",
  unit: "{row}",
  labels: ["reason"],
});
