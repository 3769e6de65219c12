import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import { type ConnectLink, type LinkState, MAX_WRONG_CODES } from "./link.ts";

const columns = sql.raw(
  `id, environment_id as "environmentId", settings, note, max_uses as "maxUses", uses,
   last_used_at as "lastUsedAt", created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
   revoked_at as "revokedAt", code_hash is not null as "needsCode",
   case when reconnect_connection is not null
        then jsonb_build_object('uuid', reconnect_connection, 'connectionId', reconnect_connection_id)
   end as reconnects`,
);

export type NewLink = Omit<ConnectLink, "environmentId" | "uses" | "lastUsedAt" | "revokedAt"> & {
  readonly tokenHash: Buffer;
  readonly codeHash: Buffer | null;
};

export async function insertLinks(
  db: Db,
  environmentId: EnvironmentId,
  links: readonly NewLink[],
): Promise<void> {
  const rows = links.map(({ tokenHash, codeHash, reconnects, ...link }) => ({
    ...link,
    tokenHash: tokenHash.toString("hex"),
    codeHash: codeHash?.toString("hex"),
    reconnectConnection: reconnects?.uuid,
    reconnectConnectionId: reconnects?.connectionId,
  }));
  await sql`
    insert into connect_links
      (id, environment_id, token_hash, code_hash, settings, note, max_uses, created_at, created_by, expires_at,
       reconnect_connection, reconnect_connection_id)
    select l.id, ${environmentId}, decode(l."tokenHash", 'hex'), decode(l."codeHash", 'hex'), l.settings, l.note,
           l."maxUses", l."createdAt", l."createdBy", l."expiresAt", l."reconnectConnection",
           l."reconnectConnectionId"
      from json_to_recordset(${JSON.stringify(rows)}::json) as l
           (id uuid, "tokenHash" text, "codeHash" text, settings jsonb, note text, "maxUses" integer,
            "createdAt" timestamptz, "createdBy" jsonb, "expiresAt" timestamptz, "reconnectConnection" uuid,
            "reconnectConnectionId" text)`.execute(db);
}

/** The token names the environment. Finds ended links, too. */
export async function findLinkByHash(db: Db, tokenHash: Buffer): Promise<ConnectLink | undefined> {
  const { rows } = await sql<ConnectLink>`
    select ${columns} from connect_links where token_hash = ${tokenHash}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export type Spending =
  | { readonly kind: "spent" }
  | { readonly kind: "ended" }
  | { readonly kind: "wrong_code"; readonly triesLeft: number };

/**
 * Spends a use, of several at once only as many as are left. A wrong code spends none and is counted; the last of
 * them revokes the link.
 */
export async function spendUse(
  db: Db,
  environmentId: EnvironmentId,
  { id, now, codeHash }: { id: string; now: Date; codeHash: Buffer | null },
): Promise<Spending> {
  const isRight = sql`(code_hash is null or code_hash is not distinct from ${codeHash}::bytea)`;
  const { rows } = await sql<{ isRight: boolean; wrongCodes: number }>`
    update connect_links
       set uses = uses + case when ${isRight} then 1 else 0 end,
           last_used_at = case when ${isRight} then ${now}::timestamptz else last_used_at end,
           wrong_codes = wrong_codes + case when ${isRight} then 0 else 1 end,
           revoked_at = case when not ${isRight} and wrong_codes + 1 >= ${MAX_WRONG_CODES}
                             then ${now}::timestamptz end
     where environment_id = ${environmentId} and id = ${id}
       and uses < max_uses and expires_at > ${now} and revoked_at is null
    returning ${isRight} as "isRight", wrong_codes as "wrongCodes"`.execute(db.withoutPlugins());
  const [row] = rows;
  if (row === undefined) return { kind: "ended" };
  if (row.isRight) return { kind: "spent" };
  return { kind: "wrong_code", triesLeft: MAX_WRONG_CODES - row.wrongCodes };
}

/** False when there is none. */
export async function revokeRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const result = await sql`
    update connect_links set revoked_at = coalesce(revoked_at, ${now})
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return result.numAffectedRows === 1n;
}

/** As stateOfLink says. */
function isInState(state: LinkState, now: Date): RawBuilder<boolean> {
  const isOpen = sql`expires_at > ${now}`;
  const conditions: Readonly<Record<LinkState, RawBuilder<boolean>>> = {
    revoked: sql`revoked_at is not null`,
    used_up: sql`revoked_at is null and uses >= max_uses`,
    expired: sql`revoked_at is null and uses < max_uses and not ${isOpen}`,
    open: sql`revoked_at is null and uses < max_uses and ${isOpen}`,
  };
  return conditions[state];
}

/** Newest first. */
export async function listLinkRows(
  db: Db,
  environmentId: EnvironmentId,
  {
    state,
    now,
    after,
    limit,
  }: {
    state: LinkState | undefined;
    now: Date;
    after: KeysetPosition | undefined;
    limit: number;
  },
): Promise<ConnectLink[]> {
  const isWanted = state === undefined ? sql`true` : isInState(state, now);
  const start =
    after === undefined ? sql`true` : sql`(created_at, id) < (${after.createdAt}, ${after.id})`;
  const { rows } = await sql<ConnectLink>`
    select ${columns} from connect_links where environment_id = ${environmentId} and ${start} and ${isWanted}
     order by created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteLinksBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from connect_links where expires_at < ${time}`.execute(db);
}
