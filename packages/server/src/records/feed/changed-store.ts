import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import { type ModelId, plannedStatement } from "../store.ts";

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

const addNotes = hotStatement(
  "record_feed_notes_add",
  `insert into record_feed_notes (environment_id, model_id)
   select environment_id, changed.id from record_feeds, unnest($2::bigint[]) as changed (id)
    where environment_id = $1`,
);

/** Adds what a trigger adds where models are not distributed; nothing where the environment has no feed. */
export async function addFeedNotes(
  db: Db,
  environmentId: EnvironmentId,
  models: readonly ModelId[],
): Promise<void> {
  await runHot(db, addNotes([environmentId, models]));
}

const hasNotes = plannedStatement(
  `select from record_feed_notes where environment_id = $1 limit 1`,
);

export async function hasFeedNotes(db: Db, environmentId: EnvironmentId): Promise<boolean> {
  return (await runHot(db, hasNotes([environmentId]))).length > 0;
}

const takeNotes = plannedStatement(
  `delete from record_feed_notes
    where environment_id = $1
      and id in (select id from record_feed_notes where environment_id = $1 order by id limit $2)
   returning model_id as id`,
);

/** Models that may have changed, a model as often as it has; within the transaction that notes their changes. */
export async function takeFeedNotes(
  db: Db,
  environmentId: EnvironmentId,
  limit: number,
): Promise<ModelId[]> {
  const rows = await runHot<{ id: ModelId }>(db, takeNotes([environmentId, limit]));
  return rows.map(({ id }) => id);
}

const changedOf = plannedStatement(
  `select c.id, coalesce(m.connection_uuid, f.connection_uuid) as connection,
          coalesce(m.model, f.model) as model, m.sequence, coalesce(f.sequence, 0) as noted,
          coalesce(f.clears, 0) as clears,
          m.id is null or coalesce(f.clears > f.noted_clears, false) as "isCleared"
     from unnest($2::bigint[]) as c (id)
     left join lateral (
       select * from record_models m where m.id = c.id and m.environment_id = $1 offset 0) m on true
     left join lateral (
       select * from record_feed_models f where f.environment_id = $1 and f.model_id = c.id offset 0) f on true
    where case when m.id is null then f.model_id is not null
               else m.sequence > coalesce(f.sequence, 0) or coalesce(f.clears > f.noted_clears, false) end`,
);

// Where models are distributed no statement joins them with what is noted of them.
const modelsOf = plannedStatement(
  `select id, connection_uuid as connection, model, sequence from record_models
    where id = any($2::bigint[]) and environment_id = $1`,
);

const notedOf = plannedStatement(
  `select model_id as id, connection_uuid as connection, model, sequence as noted, clears,
          clears > noted_clears as "isCleared"
     from record_feed_models where environment_id = $1 and model_id = any($2::bigint[])`,
);

type Noted = Omit<ChangedModel, "sequence">;
type Present = Pick<ChangedModel, "id" | "connection" | "model"> & { readonly sequence: number };

interface Among {
  readonly ids: readonly ModelId[];
  readonly isDistributed: boolean;
}

/** Of these models those with changes that are not noted yet, in any order. */
export async function listChangedModels(
  db: Db,
  environmentId: EnvironmentId,
  { ids, isDistributed }: Among,
): Promise<ChangedModel[]> {
  const values = [environmentId, ids];
  if (!isDistributed) return await runHot<ChangedModel>(db, changedOf(values));
  const noted = await runHot<Noted>(db, notedOf(values));
  const present = await runHot<Present>(db, modelsOf(values));
  const known = new Map(noted.map((each) => [each.id, each]));
  const changed = present.flatMap((model): ChangedModel[] => {
    const before = known.get(model.id) ?? { noted: 0, clears: 0, isCleared: false };
    known.delete(model.id);
    if (model.sequence <= before.noted && !before.isCleared) return [];
    return [{ ...before, ...model }];
  });
  const gone = [...known.values()].map((model) => ({ ...model, sequence: null, isCleared: true }));
  return [...changed, ...gone];
}

const candidates = plannedStatement(
  `select m.id from record_models m
     left join record_feed_models f on f.environment_id = $1 and f.model_id = m.id
    where m.environment_id = $1
      and (m.sequence > coalesce(f.sequence, 0) or f.clears > f.noted_clears)
    union all
   select f.model_id from record_feed_models f
    where f.environment_id = $1
      and not exists (select from record_models m where m.environment_id = $1 and m.id = f.model_id)`,
);

const presentIds = plannedStatement(
  `select id, sequence from record_models where environment_id = $1 and id > $2 order by id limit $3`,
);

const notedIds = plannedStatement(
  `select model_id as id, sequence, clears > noted_clears as "isCleared" from record_feed_models
    where environment_id = $1 and model_id > $2 and ($3::bigint is null or model_id <= $3) order by model_id`,
);

type PresentId = Pick<Present, "id" | "sequence">;
type NotedId = PresentId & { readonly isCleared: boolean };

const COMPARED_AT_ONCE = 10_000;

/** All models that may have changes which are not noted yet; reads all of the environment. */
export async function compareModels(
  db: Db,
  environmentId: EnvironmentId,
  isDistributed: boolean,
): Promise<ModelId[]> {
  if (!isDistributed) {
    const rows = await runHot<{ id: ModelId }>(db, candidates([environmentId]));
    return rows.map(({ id }) => id);
  }
  const changed: ModelId[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: readonly unknown[] = [environmentId, after, COMPARED_AT_ONCE];
    const present: PresentId[] = await runHot<PresentId>(db, presentIds(page));
    const until = present.length < COMPARED_AT_ONCE ? undefined : present.at(-1)?.id;
    const noted = await runHot<NotedId>(db, notedIds([environmentId, after, until ?? null]));
    const known = new Map(noted.map((each) => [each.id, each]));
    for (const { id, sequence } of present) {
      const before = known.get(id);
      if (sequence > (before?.sequence ?? 0) || before?.isCleared) changed.push(id);
      known.delete(id);
    }
    changed.push(...known.keys());
    after = until;
  }
  return changed;
}

const notedFeeds = plannedStatement(
  `select environment_id as id from record_feeds f
    where exists (select from record_feed_notes n where n.environment_id = f.environment_id)`,
);

/** Environments whose models have changed since a reader of the feed looked. */
export async function listNotedFeeds(db: Db): Promise<EnvironmentId[]> {
  const rows = await runHot<{ id: EnvironmentId }>(db, notedFeeds([]));
  return rows.map(({ id }) => id);
}

const dropLostNotes = plannedStatement(
  `delete from record_feed_notes n where not exists (
     select from record_feeds f where f.environment_id = n.environment_id)`,
);

/** Of changes that were made while the feed of their environment was removed. */
export async function dropLostFeedNotes(db: Db): Promise<void> {
  await runHot(db, dropLostNotes([]));
}
