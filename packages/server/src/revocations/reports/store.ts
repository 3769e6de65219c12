import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

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
