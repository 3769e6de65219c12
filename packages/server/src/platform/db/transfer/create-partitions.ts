import pg from "pg";
import type { Partition } from "./database-part.ts";
import { quote } from "./dump-tables.ts";

/** Each locks its parent and all of its indexes: together they must fit into the lock table of a usual server. */
const PARTITIONS_AT_ONCE = 50;

/** Makes the partitions that the database lacks, parents before children. */
export async function createPartitions(
  client: pg.Client,
  partitions: readonly Partition[],
): Promise<void> {
  for (let at = 0; at < partitions.length; at += PARTITIONS_AT_ONCE) {
    await client.query("begin");
    for (const partition of partitions.slice(at, at + PARTITIONS_AT_ONCE)) {
      await client.query(toStatement(partition));
    }
    await client.query("commit");
  }
}

function toStatement({ schema, name, parent, bound, key, options }: Partition): string {
  const partitioned = key === null ? "" : ` partition by ${key}`;
  const parameters = options === null ? "" : ` with (${options.map(toParameter).join(", ")})`;
  return `create table if not exists ${quote({ schema, name })}
    partition of ${quote({ schema, name: parent })} ${bound}${partitioned}${parameters}`;
}

function toParameter(option: string): string {
  const [name = "", value = ""] = option.split("=", 2);
  return `${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`;
}
