import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface ConsumerCount {
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly subject: "action" | "model";
  /** Of the action or the model. */
  readonly name: string;
  readonly kind: "key" | "user" | "agent" | "function";
  /** Id of the key, the user or the agent's session; name of the function. */
  readonly consumer: string;
  /** Days of UTC since 1970. */
  readonly day: number;
  readonly uses: number;
  readonly lastMs: number;
}

/** Adds to what the days have. Sessions of agents count for their toolset, since they come and go. */
export async function addConsumers(db: Db, counts: readonly ConsumerCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other. An environment may be gone by now.
  await sql`
    insert into function_consumers as f
      (environment_id, integration_id, subject, name, kind, consumer, day, uses, last_at)
    select c."environmentId", c."integrationId", c.subject, c.name,
           case when c.kind = 'agent' then 'toolset' else c.kind end,
           case when c.kind = 'agent' then coalesce(s.toolset, '') else c.consumer end,
           date '1970-01-01' + c.day, sum(c.uses), to_timestamp(max(c."lastMs") / 1000.0)
      from json_to_recordset(${JSON.stringify(counts)}::json) as c
      ("environmentId" uuid, "integrationId" bigint, subject text, name text, kind text, consumer text, day integer,
       uses bigint, "lastMs" bigint)
      join environments e on e.id = c."environmentId"
      left join agent_sessions s on c.kind = 'agent' and s.id::text = c.consumer
     group by 1, 2, 3, 4, 5, 6, 7
     order by 1, 2, 3, 4, 5, 6, 7
    on conflict (environment_id, integration_id, subject, name, kind, consumer, day) do update
      set uses = f.uses + excluded.uses, last_at = greatest(f.last_at, excluded.last_at)`.execute(
    db,
  );
}

export interface ConsumedName {
  readonly integrationId: number;
  readonly subject: ConsumerCount["subject"];
  readonly name: string;
}

export interface ConsumerRow extends ConsumedName {
  readonly kind: "key" | "user" | "toolset" | "function";
  readonly consumer: string;
  /** Of a key or a user, as it is called now. */
  readonly calledNow: string | null;
  readonly uses: number;
  readonly lastAt: Date;
}

/** Of each name those who used it most since a day, at most so many. */
export async function listConsumerRows(
  db: Db,
  environmentId: EnvironmentId,
  { names, since, limit }: { names: readonly ConsumedName[]; since: Date; limit: number },
): Promise<ConsumerRow[]> {
  const { rows } = await sql<ConsumerRow>`
    select w.integration_id::int as "integrationId", w.subject, w.name, f.kind, f.consumer,
           coalesce(k.display_name, u.name) as "calledNow", f.uses::float8 as uses, f.last_at as "lastAt"
      from unnest(${names.map(({ integrationId }) => integrationId)}::bigint[],
                  ${names.map(({ subject }) => subject)}::text[], ${names.map(({ name }) => name)}::text[])
           as w (integration_id, subject, name)
     cross join lateral (
       select kind, consumer, sum(uses) as uses, max(last_at) as last_at from function_consumers c
        where c.environment_id = ${environmentId} and c.integration_id = w.integration_id
          and c.subject = w.subject and c.name = w.name and c.day >= ${since}::date
        group by kind, consumer order by sum(uses) desc limit ${limit}) f
      left join api_keys k on f.kind = 'key' and k.id::text = f.consumer
      left join users u on f.kind = 'user' and u.id::text = f.consumer`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

export async function deleteConsumersBefore(db: Db, day: Date): Promise<void> {
  await sql`delete from function_consumers where day < ${day}::date`.execute(db);
}
