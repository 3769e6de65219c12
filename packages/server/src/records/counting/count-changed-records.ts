import type { EnvironmentContext } from "#foundation";
import { defineCounter } from "#foundation/instruments";
import type { RecordsChanged } from "../hooks.ts";

const records = defineCounter({
  name: "svc_records_total",
  help: "Records that syncs and functions wrote, by the kind of change.",
  unit: "{record}",
  labels: ["change"],
});

const added = { change: "added" };
const updated = { change: "updated" };
const unchanged = { change: "unchanged" };
const deleted = { change: "deleted" };

/** Counts with the write: one that is undone afterwards has been counted. */
export async function countChangedRecords(
  _ctx: EnvironmentContext,
  { changes }: RecordsChanged,
): Promise<void> {
  if (changes.added > 0) records.add(changes.added, added);
  if (changes.updated > 0) records.add(changes.updated, updated);
  if (changes.unchanged > 0) records.add(changes.unchanged, unchanged);
  if (changes.deleted > 0) records.add(changes.deleted, deleted);
}
