import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
}

export interface ReportKey {
  readonly publicKey: PublicKey;
  readonly sealed: Buffer;
}

export async function findReportKey(
  db: Db,
  environmentId: EnvironmentId,
): Promise<ReportKey | undefined> {
  const { rows } = await sql<ReportKey>`
    select public_key as "publicKey", private_key as sealed from report_keys
     where environment_id = ${environmentId}`.execute(db.withoutPlugins());
  return rows[0];
}

export interface RetiredKey {
  readonly publicKey: PublicKey;
  readonly retiredAt: Date;
}

/** Those that signed before, the last one first. */
export async function listRetiredKeys(db: Db, environmentId: EnvironmentId): Promise<RetiredKey[]> {
  const { rows } = await sql<RetiredKey>`
    select public_key as "publicKey", retired_at as "retiredAt" from retired_report_keys
     where environment_id = ${environmentId} order by retired_at desc, kid`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/**
 * Puts another key in the place of the one that signs, which is listed as retired; false where none signs yet. Belongs
 * in a transaction.
 */
export async function replaceReportKey(
  db: Db,
  environmentId: EnvironmentId,
  { publicKey, sealed, now }: ReportKey & { readonly now: Date },
): Promise<boolean> {
  const retired = await sql`
    insert into retired_report_keys (environment_id, kid, public_key, created_at, retired_at)
    select environment_id, public_key ->> 'kid', public_key, created_at, ${now}::timestamptz
      from report_keys where environment_id = ${environmentId} for update`.execute(db);
  if (retired.numAffectedRows !== 1n) return false;
  await sql`
    update report_keys
       set public_key = ${JSON.stringify(publicKey)}, private_key = ${sealed}, created_at = ${now}
     where environment_id = ${environmentId}`.execute(db);
  return true;
}

/** The first one stays. */
export async function insertReportKey(
  db: Db,
  environmentId: EnvironmentId,
  { publicKey, sealed, now }: ReportKey & { readonly now: Date },
): Promise<void> {
  await sql`
    insert into report_keys (environment_id, public_key, private_key, created_at)
    values (${environmentId}, ${JSON.stringify(publicKey)}, ${sealed}, ${now})
    on conflict (environment_id) do nothing`.execute(db);
}
