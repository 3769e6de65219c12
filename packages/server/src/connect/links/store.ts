import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#platform";
import type { Db } from "#platform/db";
import { type ConnectLink, MAX_WRONG_CODES } from "./link.ts";

const columns = sql.raw(
  `id, environment_id as "environmentId", settings, note, max_uses as "maxUses", uses,
   last_used_at as "lastUsedAt", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
   code_hash is not null as "needsCode"`,
);

export async function insertLink(
  db: Db,
  environmentId: EnvironmentId,
  link: Omit<ConnectLink, "environmentId" | "uses" | "lastUsedAt" | "revokedAt"> & {
    readonly tokenHash: Buffer;
    readonly codeHash: Buffer | null;
  },
): Promise<void> {
  await sql`
    insert into connect_links
      (id, environment_id, token_hash, code_hash, settings, note, max_uses, created_at, expires_at)
    values (${link.id}, ${environmentId}, ${link.tokenHash}, ${link.codeHash}, ${JSON.stringify(link.settings)},
            ${link.note}, ${link.maxUses}, ${link.createdAt}, ${link.expiresAt})`.execute(db);
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

/** Newest first. */
export async function listLinkRows(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<ConnectLink[]> {
  const start =
    after === undefined ? sql`true` : sql`(created_at, id) < (${after.createdAt}, ${after.id})`;
  const { rows } = await sql<ConnectLink>`
    select ${columns} from connect_links where environment_id = ${environmentId} and ${start}
     order by created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteLinksBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from connect_links where expires_at < ${time}`.execute(db);
}
