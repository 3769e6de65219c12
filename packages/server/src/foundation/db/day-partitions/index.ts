// Owns tables that are partitioned by day, so that what is dropped by age goes as a whole: makes the days ahead of
// time and drops old ones. What is still needed of a dropped day moves to the table's default partition, which also
// takes the rows of days that nobody has made.
export { type DayTable, dayOf } from "./day-table.ts";
export { dropOldDays } from "./drop-old-days.ts";
export { createDays, ensureDays } from "./ensure-days.ts";
export { hasId, hasIdText } from "./has-id.ts";
export { hotStatementOfDay } from "./statement-of-day.ts";
export { listDays } from "./store.ts";
