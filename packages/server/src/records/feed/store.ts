import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, runHot } from "#foundation/db";
import { type ModelId, plannedStatement } from "../store.ts";
import type { ChangedModel } from "./changed-store.ts";

/** What the feed of an environment knows of itself. */
export interface FeedHead {
  readonly epoch: number;
  /** Of the last entry. */
  readonly position: number;
  /** Cursors before it are refused. */
  readonly oldestPosition: number;
  /** Whether its changes have left no note yet: all models are to be compared. */
  readonly isCompared: boolean;
}

const HEAD = `epoch, position, oldest_position as "oldestPosition", compared_until > now() as "isCompared"`;

const addFeed = plannedStatement(
  `insert into record_feeds (environment_id, epoch)
   select id, $2 from environments where id = $1 and deleted_at is null on conflict do nothing`,
);

const findFeed = plannedStatement(`select ${HEAD} from record_feeds where environment_id = $1`);

// Not `for update`: who removes records at once refers to the row by a foreign key.
const lockFeed = plannedStatement(
  `select ${HEAD} from record_feeds where environment_id = $1 for no key update`,
);

export async function addFeedRow(db: Db, environmentId: EnvironmentId, epoch: number) {
  await runHot(db, addFeed([environmentId, epoch]));
}

export async function findFeedHead(
  db: Db,
  environmentId: EnvironmentId,
): Promise<FeedHead | undefined> {
  const [head] = await runHot<FeedHead>(db, findFeed([environmentId]));
  return head;
}

/** Makes those who note changes take turns: positions become visible in their order. */
export async function lockFeedHead(
  db: Db,
  environmentId: EnvironmentId,
): Promise<FeedHead | undefined> {
  const [head] = await runHot<FeedHead>(db, lockFeed([environmentId]));
  return head;
}

/** What a reader of the feed comes across next. */
export interface FeedEntry {
  readonly position: number;
  readonly id: ModelId;
  readonly connection: ConnectionUuid;
  readonly model: string;
  /** Null for an entry that says that all records were removed. */
  readonly after: number | null;
  readonly until: number | null;
}

const addEntries = plannedStatement(
  `insert into record_feed_entries
     (environment_id, position, model_id, connection_uuid, model, after_sequence, until_sequence, noted_at)
   select $1, e.position, e.model_id, e.connection, e.model, e.after, e.until, $8
     from unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::bigint[], $7::bigint[])
            as e (position, model_id, connection, model, after, until)`,
);

const noteModels = plannedStatement(
  `insert into record_feed_models as f
     (environment_id, model_id, connection_uuid, model, sequence, clears, noted_clears)
   select $1, e.model_id, e.connection, e.model, e.sequence, e.clears, e.clears
     from unnest($2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[])
            as e (model_id, connection, model, sequence, clears)
       on conflict (environment_id, model_id) do update
      set sequence = excluded.sequence, noted_clears = excluded.noted_clears`,
);

const forgetModels = plannedStatement(
  `delete from record_feed_models where environment_id = $1 and model_id = any($2::bigint[])`,
);

const movePosition = plannedStatement(
  `update record_feeds set position = $2 where environment_id = $1`,
);

/** Adds the entries, within the transaction that holds the head; positions follow that of the head. */
export async function addFeedEntries(
  db: Db,
  environmentId: EnvironmentId,
  noted: { entries: readonly FeedEntry[]; changed: readonly ChangedModel[]; now: Date },
): Promise<void> {
  const { entries, changed, now } = noted;
  const columns = [
    entries.map(({ position }) => position),
    entries.map(({ id }) => id),
    entries.map(({ connection }) => connection),
    entries.map(({ model }) => model),
    entries.map(({ after }) => after),
    entries.map(({ until }) => until),
  ];
  await runHot(db, addEntries([environmentId, ...columns, now]));
  const gone = changed.filter(({ sequence }) => sequence === null);
  const known = changed.filter(({ sequence }) => sequence !== null);
  await runHot(db, forgetModels([environmentId, gone.map(({ id }) => id)]));
  const models = [
    known.map(({ id }) => id),
    known.map(({ connection }) => connection),
    known.map(({ model }) => model),
    known.map(({ sequence }) => sequence),
    known.map(({ clears }) => clears),
  ];
  await runHot(db, noteModels([environmentId, ...models]));
  await runHot(db, movePosition([environmentId, entries.at(-1)?.position]));
}

/** An entry with what readers know its model by. */
export interface NamedEntry extends FeedEntry {
  /** Null when the connection was removed for good. */
  readonly connectionId: string | null;
  readonly integrationKey: string | null;
  readonly isDeleted: boolean;
}

// Joins the tables of #connections and #integrations, for names.
const listEntries = plannedStatement(
  `select e.position, e.model_id as id, e.connection_uuid as connection, e.model,
          e.after_sequence as after, e.until_sequence as until,
          c.connection_id as "connectionId", i.unique_key as "integrationKey",
          c.connection_id is null or c.deleted_at is not null as "isDeleted"
     from (select * from record_feed_entries
            where environment_id = $1 and position > $2 order by position limit $3) e
     left join lateral (
       select connection_id, integration_id, deleted_at from connections where uuid = e.connection_uuid offset 0) c on true
     left join integrations i on i.id = c.integration_id
    order by e.position`,
);

/** Entries after a position, in their order. */
export async function listFeedEntries(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: number; limit: number },
): Promise<NamedEntry[]> {
  return await runHot<NamedEntry>(db, listEntries([environmentId, after, limit]));
}

const noteClear = plannedStatement(
  `insert into record_feed_models as f
     (environment_id, model_id, connection_uuid, model, sequence, clears)
   select environment_id, $2, $3, $4, 0, 1 from record_feeds where environment_id = $1
       on conflict (environment_id, model_id) do update set clears = f.clears + 1`,
);

/** In the transaction that removes records of a model at once: readers of the feed drop theirs. */
export async function noteClearedModel(
  db: Db,
  environmentId: EnvironmentId,
  { id, connection, model }: { id: ModelId; connection: ConnectionUuid; model: string },
): Promise<void> {
  await runHot(db, noteClear([environmentId, id, connection, model]));
}

const joinOld = plannedStatement(
  `with old as (
     select position, row_number() over (partition by model_id order by position desc) = 1 as is_last,
            min(after_sequence) over (partition by model_id) as first
       from record_feed_entries
      where environment_id = $1 and noted_at < $2 and until_sequence is not null),
   joined as (
     update record_feed_entries e set after_sequence = old.first
       from old where e.environment_id = $1 and e.position = old.position and old.is_last
        and e.after_sequence <> old.first)
   delete from record_feed_entries e using old
    where e.environment_id = $1 and e.position = old.position and not old.is_last`,
);

/** Joins the entries of each model that were noted before a time into its last one. */
export async function joinOldEntries(
  db: Db,
  environmentId: EnvironmentId,
  before: Date,
): Promise<void> {
  await runHot(db, joinOld([environmentId, before]));
}

const dropRemovals = plannedStatement(
  `with gone as (
     delete from record_feed_entries
      where environment_id = $1 and noted_at < $2
        and (until_sequence is null
             or not exists (select from record_feed_models f
                             where f.environment_id = $1 and f.model_id = record_feed_entries.model_id))
     returning position)
   update record_feeds
      set oldest_position = greatest(oldest_position, (select max(position) from gone))
    where environment_id = $1 and exists (select from gone)`,
);

/** Forgets models that went before a time; cursors from before are refused. */
export async function dropOldRemovals(
  db: Db,
  environmentId: EnvironmentId,
  before: Date,
): Promise<void> {
  await runHot(db, dropRemovals([environmentId, before]));
}

const waitingSince = plannedStatement(
  `select noted_at as "notedAt" from record_feed_entries
    where environment_id = $1 and position > $2 order by position limit 1`,
);

/** When the oldest change behind a position was noted; undefined when there is none. */
export async function findWaitingSince(
  db: Db,
  environmentId: EnvironmentId,
  position: number,
): Promise<Date | undefined> {
  const [row] = await runHot<{ notedAt: Date }>(db, waitingSince([environmentId, position]));
  return row?.notedAt;
}

const renewEpochs = plannedStatement(
  `update record_feeds
      set epoch = 1 + floor(random() * 140737488355328)::bigint, compared_until = now() + interval '10 minutes'`,
);

/** Of a copy: cursors of the original are refused, for positions of the two name different changes. */
export async function renewFeeds(db: Db): Promise<void> {
  await runHot(db, renewEpochs([]));
}
