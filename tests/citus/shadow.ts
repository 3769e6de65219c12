import type pg from "pg";
import { columnsOf, type Group } from "./distributed-tables.ts";

/** Partitions that stand for servers. */
const SHARDS = 16;
const NAME_OF_SHARD = /^(\w+)__s(\d+)$/;

/**
 * A schema of the same tables in which the distributed ones are partitioned by their columns, so that Postgres' planner
 * says how many servers a statement would reach. Other tables stay as they are.
 */
export async function makeShadow(client: pg.Client, groups: readonly Group[]): Promise<void> {
  await client.query("create schema shadow");
  for (const [table, column] of columnsOf(groups)) {
    await client.query(`
      create table shadow.${table} (like public.${table} including defaults including generated including identity)
        partition by hash (${column})`);
    for (let shard = 0; shard < SHARDS; shard += 1) {
      await client.query(`
        create table shadow.${table}__s${shard} partition of shadow.${table}
          for values with (modulus ${SHARDS}, remainder ${shard})`);
    }
    const { rows: keys } = await client.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = $1::regclass and contype in ('p', 'u')`,
      [`public.${table}`],
    );
    for (const { name, definition } of keys) {
      await client.query(`alter table shadow.${table} add constraint ${name} ${definition}`);
    }
  }
  await client.query("set search_path = shadow, public");
}

/** What a statement reaches; `problem` is undefined where it is one server, or none. */
export interface Reach {
  /** Why there is no plan of it. */
  readonly unplanned?: string;
  readonly problem: string | undefined;
  /** Tables of the first server that it reads or changes next to distributed ones, or distributed ones apart. */
  readonly join: string | undefined;
}

export async function findReach(
  client: pg.Client,
  { text, values }: { text: string; values: readonly unknown[] },
  groups: readonly Group[],
): Promise<Reach> {
  let plan: PlanNode;
  try {
    plan = await explain(client, text, values);
  } catch (error) {
    const unplanned = `cannot be planned: ${error instanceof Error ? error.message : error}`;
    return { unplanned, problem: undefined, join: undefined };
  }
  const join = findJoin(plan, text, groups);
  for (const group of groups) {
    const problem = await reachIn(plan, group, { client, text, values });
    if (problem !== undefined) return { problem, join };
  }
  return { problem: undefined, join };
}

/** Citus copies one side of such a join to where the other lies, or refuses it. */
function findJoin(plan: PlanNode, text: string, groups: readonly Group[]): string | undefined {
  const relations = [...nodesOf(plan)].filter((node) => node["Relation Name"] !== undefined);
  const columns = columnsOf(groups);
  const [distributed, shards] = [new Set<string>(), new Set<string>()];
  const first = new Set<string>();
  for (const { "Relation Name": relation = "", Schema: schema } of relations) {
    const shardOf = NAME_OF_SHARD.exec(relation)?.[1];
    if (shardOf !== undefined) shards.add(relation);
    const table = shardOf ?? relation;
    if (columns.has(table)) distributed.add(table);
    else if (schema !== "pg_catalog") first.add(relation);
  }
  if (distributed.size > 0 && first.size > 0) {
    return `reaches ${[...distributed].sort().join(", ")} next to ${[...first].sort().join(", ")} of the first server`;
  }
  // Over all servers, distributed tables are joined where they lie together: by their columns.
  const isWide = shards.size > distributed.size;
  const keys = [...distributed].map((table) => columns.get(table) ?? "");
  const equalities = [...text.matchAll(/\b\w+\.(\w+) = \w+\.(\w+)/g)].filter(
    ([, left = "", right = ""]) => keys.includes(left) && keys.includes(right),
  );
  return isWide && equalities.length < distributed.size - 1
    ? `joins ${[...distributed].sort().join(", ")} by other columns than those that they are distributed by`
    : undefined;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly Operation?: string;
  readonly "Relation Name"?: string;
  readonly Schema?: string;
  readonly Alias?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
}

async function explain(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<PlanNode> {
  const copied = /copy \(([\s\S]*)\) to stdout/.exec(text)?.[1];
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `explain (verbose, costs off, format json) ${copied ?? text}`,
    [...values],
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) throw new Error("the plan is empty");
  return plan;
}

interface Sent {
  readonly client: pg.Client;
  readonly text: string;
  readonly values: readonly unknown[];
}

async function reachIn(plan: PlanNode, group: Group, sent: Sent): Promise<string | undefined> {
  const shards = new Map<string, Set<string>>();
  for (const { "Relation Name": relation = "" } of nodesOf(plan)) {
    const [, table = "", shard = ""] = NAME_OF_SHARD.exec(relation) ?? [];
    if (!Object.hasOwn(group.tables, table)) continue;
    shards.set(table, (shards.get(table) ?? new Set()).add(shard));
  }
  const reached = new Set([...shards.values()].flatMap((each) => [...each]));
  if (reached.size > 1) {
    const wide = [...shards].filter(([, each]) => each.size > 1).map(([table]) => table);
    return wide.length > 0
      ? `reaches ${Math.max(...[...shards.values()].map(({ size }) => size))} of ${SHARDS} servers for ${wide.join(", ")}`
      : `reaches different servers for ${[...shards.keys()].sort().join(", ")}`;
  }
  for (const node of nodesOf(plan)) {
    const table = node["Relation Name"] ?? "";
    if (node.Operation !== "Insert" || !Object.hasOwn(group.tables, table)) continue;
    const from = [...nodesOf(plan)].flatMap((scan) => columnOf(scan, group));
    const problem = await reachOfInsert(
      node,
      { table, column: group.tables[table] ?? "", from },
      sent,
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Rows are routed one by one: the plan says only whether all have the same value. */
async function reachOfInsert(
  node: PlanNode,
  { table, column, from }: { table: string; column: string; from: readonly string[] },
  { client, text, values }: Sent,
): Promise<string | undefined> {
  const { rows } = await client.query<{ at: number }>(
    `select count(*)::int as at from pg_attribute a, pg_attribute b
      where a.attrelid = $1::regclass and b.attrelid = a.attrelid and b.attname = $2 and a.attnum > 0
        and not a.attisdropped and a.attnum < b.attnum`,
    [`shadow.${table}`, column],
  );
  const output = node.Plans?.[0]?.Output?.[rows[0]?.at ?? 0] ?? "";
  const isFixed = /^\(?(?:'[^']*'|\d+)(?:\)?::[\w ]+)?\)?$/.test(output) || from.includes(output);
  if (isFixed) return undefined;
  if (node.Plans?.[0]?.["Node Type"] !== "Values Scan") {
    return `inserts into ${table} rows of any ${column} (${output})`;
  }
  await client.query("begin");
  try {
    await client.query(text, [...values]);
    const reached = await client.query(`select distinct tableoid from shadow.${table}`);
    return reached.rows.length > 1 ? `inserts into ${table} rows of several servers` : undefined;
  } finally {
    await client.query("rollback");
  }
}

/** The distribution column of a table that is read, as the plan writes it. */
function columnOf({ "Relation Name": relation = "", Alias: alias = "" }: PlanNode, group: Group) {
  const column = group.tables[NAME_OF_SHARD.exec(relation)?.[1] ?? ""];
  return column === undefined ? [] : [`${alias}.${column}`];
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}
