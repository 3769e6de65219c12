import type { installationStatusRoutes, RouteOutput } from "@jackfield/contract";
import { addMs, DAY, type SystemContext } from "#foundation";
import { type DayTable, dayOf, listDays } from "#foundation/db/day-partitions";
import { installationFacts } from "./installation-facts.ts";
import { isEmptyTable, readPartitionSizes } from "./store.ts";

type Table = RouteOutput<
  typeof installationStatusRoutes.getInstallation
>["data"]["partitions"][number];

/** The days that each table partitioned by day has, and what is not as it should be. */
export async function listPartitions(ctx: SystemContext): Promise<Table[]> {
  const { dayTables } = installationFacts.of(ctx);
  const names = dayTables.map(({ name }) => name);
  const sizes = await readPartitionSizes(ctx.db, names);
  const tables: Table[] = [];
  for (const table of dayTables) {
    const own = sizes.filter(({ table: name }) => name === table.name);
    tables.push(await describe(ctx, table, own));
  }
  return tables.toSorted((one, other) => other.bytes - one.bytes);
}

async function describe(
  { db, clock }: SystemContext,
  table: DayTable,
  sizes: readonly { name: string; bytes: number }[],
): Promise<Table> {
  const partitions = await listDays(db, table);
  const days = partitions.flatMap(({ day }) => day ?? []);
  const rest = `${table.name}_default`;
  const today = clock.now();
  const isThere = (day: string) =>
    partitions.some((part) => part.day === day || (part.day === undefined && day < part.until));
  return {
    table: table.name,
    days: days.length,
    first_day: days[0] ?? null,
    last_day: days.at(-1) ?? null,
    missing_days: [dayOf(today), dayOf(addMs(today, DAY))].filter((day) => !isThere(day)),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    default_is_empty: await isEmptyTable(db, rest),
  };
}
