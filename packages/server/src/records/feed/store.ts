import type { ConnectionUuid, EnvironmentId } from "#platform";
import { type Db, runHot } from "#platform/db";
import { type ModelId, plannedStatement } from "../store.ts";

/** What the feed of an environment knows of itself. */
export interface FeedHead {
  readonly epoch: number;
  /** Of the last entry. */
  readonly position: number;
  /** Cursors before it are refused. */
  readonly oldestPosition: number;
}

const HEAD = `epoch, position, oldest_position as "oldestPosition"`;

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

/** A model that has changed since its changes were noted. */
export interface ChangedModel {
  readonly id: ModelId;
  readonly connection: ConnectionUuid;
  /** As it is stored. */
  readonly model: string;
  /** Of the last change; null when the model went. */
  readonly sequence: number | null;
  /** Of the last change that was noted. */
  readonly noted: number;
  /** How often its records were removed at once; undefined where the feed has never named it. */
  readonly clears: number;
  readonly isCleared: boolean;
}

const listChanged = plannedStatement(
  `select m.id, m.connection_uuid as connection, m.model, m.sequence,
          coalesce(f.sequence, 0) as noted, coalesce(f.clears, 0) as clears,
          coalesce(f.clears > f.noted_clears, false) as "isCleared"
     from record_models m
     left join record_feed_models f on f.environment_id = $1 and f.model_id = m.id
    where m.environment_id = $1
      and (m.sequence > coalesce(f.sequence, 0) or f.clears > f.noted_clears)
    union all
   select f.model_id, f.connection_uuid, f.model, null, f.sequence, f.clears, true
     from record_feed_models f
    where f.environment_id = $1
      and not exists (select from record_models m where m.environment_id = $1 and m.id = f.model_id)
    limit $2`,
);

// Where models are distributed no statement joins them with what is noted of them.
const listModels = plannedStatement(
  `select id, connection_uuid as connection, model, sequence from record_models where environment_id = $1`,
);

const listNoted = plannedStatement(
  `select model_id as id, connection_uuid as connection, model, sequence as noted, clears,
          clears > noted_clears as "isCleared"
     from record_feed_models where environment_id = $1`,
);

type Noted = Omit<ChangedModel, "sequence">;
type Present = Pick<ChangedModel, "id" | "connection" | "model"> & { readonly sequence: number };

interface Changes {
  readonly limit: number;
  readonly isDistributed: boolean;
}

/** Models with changes that are not noted yet, in any order. */
export async function listChangedModels(
  db: Db,
  environmentId: EnvironmentId,
  { limit, isDistributed }: Changes,
): Promise<ChangedModel[]> {
  if (!isDistributed) return await runHot<ChangedModel>(db, listChanged([environmentId, limit]));
  const noted = await runHot<Noted>(db, listNoted([environmentId]));
  const present = await runHot<Present>(db, listModels([environmentId]));
  const byId = new Map(noted.map((each) => [each.id, each]));
  const ids = new Set(present.map(({ id }) => id));
  const changed = present.flatMap((model): ChangedModel[] => {
    const known = byId.get(model.id) ?? { noted: 0, clears: 0, isCleared: false };
    if (model.sequence <= known.noted && !known.isCleared) return [];
    return [{ ...known, ...model }];
  });
  const gone = noted.filter(({ id }) => !ids.has(id)).map(asGone);
  return [...changed, ...gone].slice(0, limit);
}

function asGone(model: Noted): ChangedModel {
  return { ...model, sequence: null, isCleared: true };
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
  "update record_feeds set epoch = 1 + floor(random() * 140737488355328)::bigint",
);

/** Of a copy: cursors of the original are refused, for positions of the two name different changes. */
export async function renewFeeds(db: Db): Promise<void> {
  await runHot(db, renewEpochs([]));
}
