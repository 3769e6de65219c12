import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Effect } from "../toolsets/toolset.ts";

/** Something that the authorization server remembers; ids are hashes, the payload is sealed. */
export interface OauthItem {
  readonly id: string;
  readonly model: string;
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  readonly endUserId: string | undefined;
  readonly payload: Buffer;
  readonly expiresAt: Date | undefined;
}

/** False where its grant has been revoked meanwhile: what a refresh still stores may not outlive it. */
export async function upsertItem(
  db: Db,
  environmentId: EnvironmentId,
  { id, model, grantId, uid, endUserId, payload, expiresAt, now }: OauthItem & { now: Date },
): Promise<boolean> {
  const isKept =
    grantId === undefined
      ? sql`true`
      : sql`exists (select from agent_oauth_items g where g.id = ${grantId} and g.environment_id = ${environmentId})`;
  const result = await sql`
    insert into agent_oauth_items
      (id, environment_id, model, grant_id, uid, end_user_id, payload, created_at, expires_at)
    select ${id}::uuid, ${environmentId}::uuid, ${model}::text, ${grantId ?? null}::uuid, ${uid ?? null}::uuid,
           ${endUserId ?? null}::text, ${payload}::bytea, ${now}::timestamptz, ${expiresAt ?? null}::timestamptz
     where ${isKept}
    on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at,
      end_user_id = excluded.end_user_id, grant_id = excluded.grant_id, uid = excluded.uid`.execute(
    db,
  );
  return result.numAffectedRows === 1n;
}

export interface FoundItem {
  readonly id: string;
  readonly payload: Buffer;
  readonly consumedAt: Date | null;
}

export async function findItem(
  db: Db,
  environmentId: EnvironmentId,
  { id, uid, model, now }: { id?: string; uid?: string; model: string; now: Date },
): Promise<FoundItem | undefined> {
  const named = id === undefined ? sql`uid = ${uid}` : sql`id = ${id}`;
  const { rows } = await sql<FoundItem>`
    select id, payload, consumed_at from agent_oauth_items
     where environment_id = ${environmentId} and model = ${model} and ${named}
       and (expires_at is null or expires_at > ${now})`.execute(db);
  return rows[0];
}

/** False when it was used before: of two at once, one. */
export async function consumeItem(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update agent_oauth_items set consumed_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and consumed_at is null`.execute(db);
  return result.numAffectedRows === 1n;
}

export async function findGrantOf(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ grantId: string | null }>`
    select grant_id from agent_oauth_items where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
  return rows[0]?.grantId ?? undefined;
}

export async function deleteItem(db: Db, environmentId: EnvironmentId, id: string): Promise<void> {
  await sql`
    delete from agent_oauth_items where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

/** Ends a grant: its codes and tokens are gone, and the session that it opened is over. */
export async function revokeGrant(
  db: Db,
  environmentId: EnvironmentId,
  { grantId, now }: { grantId: string; now: Date },
): Promise<void> {
  await sql`
    with gone as (
      delete from agent_oauth_items
       where environment_id = ${environmentId} and (grant_id = ${grantId} or id = ${grantId}))
    update agent_sessions set ended_at = ${now}
     where environment_id = ${environmentId} and grant_id = ${grantId} and ended_at is null`.execute(
    db,
  );
}

export async function countItems(
  db: Db,
  environmentId: EnvironmentId,
  { model, since }: { model: string; since: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from agent_oauth_items
       where environment_id = ${environmentId} and model = ${model} and created_at >= ${since}
       limit 100000) i`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Removes what has expired, and clients that registered themselves and never got a token. */
export async function deleteOldItems(
  db: Db,
  { now, unusedBefore }: { now: Date; unusedBefore: Date },
): Promise<void> {
  await sql`delete from agent_oauth_items where expires_at < ${now}`.execute(db);
  await sql`
    delete from agent_oauth_items
     where model = 'Client' and consumed_at is null and created_at < ${unusedBefore}`.execute(db);
}

/** A client that has got a token stays. */
export async function noteClientUse(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await sql`
    update agent_oauth_items set consumed_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and model = 'Client'`.execute(db);
}

export interface ConsentKey {
  readonly toolsetId: string;
  readonly endUserId: string;
  readonly clientId: string;
  readonly redirectHost: string;
}

export interface Consent extends ConsentKey {
  readonly toolsetVersion: number;
  readonly effects: readonly Effect[];
}

export async function findConsent(
  db: Db,
  environmentId: EnvironmentId,
  { toolsetId, endUserId, clientId, redirectHost }: ConsentKey,
): Promise<Consent | undefined> {
  const { rows } = await sql<Consent>`
    select toolset_id, end_user_id, client_id, redirect_host, toolset_version, effects from agent_consents
     where environment_id = ${environmentId} and toolset_id = ${toolsetId} and end_user_id = ${endUserId}
       and client_id = ${clientId} and redirect_host = ${redirectHost}`.execute(db);
  return rows[0];
}

export async function saveConsent(
  db: Db,
  environmentId: EnvironmentId,
  consent: Consent & { readonly at: Date },
): Promise<void> {
  const effects = JSON.stringify(consent.effects);
  await sql`
    insert into agent_consents
      (environment_id, toolset_id, end_user_id, client_id, redirect_host, toolset_version, effects, at)
    values (${environmentId}, ${consent.toolsetId}, ${consent.endUserId}, ${consent.clientId},
            ${consent.redirectHost}, ${consent.toolsetVersion}, ${effects}::jsonb, ${consent.at})
    on conflict (toolset_id, end_user_id, client_id, redirect_host) do update
      set toolset_version = excluded.toolset_version, effects = excluded.effects, at = excluded.at`.execute(
    db,
  );
}

/** What an end user allowed, and all that came of it. */
export async function deleteGrantsOf(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<void> {
  await sql`
    with items as (
      delete from agent_oauth_items where environment_id = ${environmentId} and end_user_id = ${endUserId})
    delete from agent_consents
     where environment_id = ${environmentId} and end_user_id = ${endUserId}`.execute(db);
}
