import { defineCounter } from "#platform/instruments";

export const leftOutRows = defineCounter({
  name: "svc_log_rows_dropped_total",
  help: "Rows that are not in the log of operations, by why: limits of an operation or a day, too much at once, refused or lost.",
  unit: "{row}",
  labels: ["reason"],
});
