import type { SystemContext } from "#foundation";
import type { DayTable } from "#foundation/db/day-partitions";
import type { ServedRoute } from "#foundation/http";
import type { ReadBacklog } from "#foundation/telemetry";
import type { BoundTask, DueWork, KeyedTaskLimits } from "#tasks";
import type { SealedColumn } from "#vault";
import type { RuntimeHandlers } from "./runtime-handlers.ts";

/** All that a server does with a slice, as one value; app.ts lists them. */
export interface Slice {
  readonly routes?: readonly ServedRoute[];
  /** Queued tasks, with what does them. */
  readonly tasks?: readonly BoundTask[];
  /** Calls of running functions that it answers. */
  readonly runtime?: Partial<RuntimeHandlers>;
  /** Where it keeps sealed texts, and the place of each; a test compares them with the schema. */
  readonly sealedColumns?: readonly SealedColumn[];
  /** Its keyed tasks, and how many of each run at once. */
  readonly keyedTasks?: readonly KeyedTaskLimits[];
  /** Tables whose rows become due; made once for each server. */
  readonly due?: readonly (() => DueWork)[];
  /** Run at start and then once a day. */
  readonly daily?: readonly ((ctx: SystemContext) => Promise<void>)[];
  /** Its tables that are partitioned by day. */
  readonly dayTables?: readonly DayTable[];
  /** How much of its work waits in the database. */
  readonly backlogs?: readonly ReadBacklog[];
}

/** Keeps the names of its routes and calls in its type, so that app.ts can tell which are missing. */
export function defineSlice<const Defined extends Slice>(slice: Defined): Defined {
  return slice;
}

/** Names of what these slices answer. */
export type RoutesOf<Of extends Slice> = Of extends {
  readonly routes: readonly ServedRoute<infer Name>[];
}
  ? Name
  : never;

export type RuntimeOf<Of extends Slice> = Of extends { readonly runtime: infer Handlers }
  ? keyof Handlers
  : never;

/** All values of one field, in the order of the slices. */
export function allOf<Field extends keyof Slice>(
  slices: readonly Slice[],
  field: Exclude<Field, "runtime">,
): readonly Item<Field>[] {
  return slices.flatMap((slice) => (slice[field] ?? []) as readonly Item<Field>[]);
}

type Item<Field extends keyof Slice> =
  NonNullable<Slice[Field]> extends readonly (infer One)[] ? One : never;
