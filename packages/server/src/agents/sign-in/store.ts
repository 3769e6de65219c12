import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Who proves which end user a browser speaks for. */
export interface SignIn {
  readonly verifierUrl: string | null;
  readonly issuer: string | null;
  readonly clientId: string | null;
  /** Sealed. */
  readonly clientSecret: Buffer | null;
  readonly endUserClaim: string;
  readonly registration: boolean;
  readonly updatedAt: Date;
}

export async function findSignIn(
  db: Db,
  environmentId: EnvironmentId,
): Promise<SignIn | undefined> {
  const { rows } = await sql<SignIn>`
    select verifier_url, issuer, client_id, client_secret, end_user_claim, registration, updated_at
      from agent_sign_ins where environment_id = ${environmentId}`.execute(db);
  return rows[0];
}

export async function saveSignIn(db: Db, environmentId: EnvironmentId, row: SignIn): Promise<void> {
  await sql`
    insert into agent_sign_ins
      (environment_id, verifier_url, issuer, client_id, client_secret, end_user_claim, registration, updated_at)
    values (${environmentId}, ${row.verifierUrl}, ${row.issuer}, ${row.clientId}, ${row.clientSecret},
            ${row.endUserClaim}, ${row.registration}, ${row.updatedAt})
    on conflict (environment_id) do update set verifier_url = excluded.verifier_url, issuer = excluded.issuer,
      client_id = excluded.client_id, client_secret = excluded.client_secret,
      end_user_claim = excluded.end_user_claim, registration = excluded.registration,
      updated_at = excluded.updated_at`.execute(db);
}

/** False when there was none. */
export async function deleteSignInRow(db: Db, environmentId: EnvironmentId): Promise<boolean> {
  const result = await sql`
    delete from agent_sign_ins where environment_id = ${environmentId}`.execute(db);
  return result.numAffectedRows === 1n;
}

/** A browser that has to prove for whom it speaks. */
export interface Authorization {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly purpose: "client" | "connect" | "approve";
  readonly interaction: string | null;
  readonly sessionId: string | null;
  readonly integration: string | null;
  /** The one to authorize again; null for a new one. */
  readonly connectionId: string | null;
  /** The call of an agent that the browser's user approves. */
  readonly approvalId: string | null;
  readonly wantedEndUserId: string | null;
  readonly browserHash: string | null;
  readonly endUserId: string | null;
  readonly ticketHash: Buffer | null;
  readonly state: "open" | "proven" | "done" | "refused";
  readonly expiresAt: Date;
}

export type NewAuthorization = Pick<
  Authorization,
  | "id"
  | "purpose"
  | "interaction"
  | "sessionId"
  | "integration"
  | "connectionId"
  | "approvalId"
  | "wantedEndUserId"
  | "browserHash"
> & { readonly now: Date; readonly expiresAt: Date };

/** What a browser begins again, to let a client in or to approve a call, gets another row in place of the first. */
export async function insertAuthorization(
  db: Db,
  environmentId: EnvironmentId,
  row: NewAuthorization,
): Promise<void> {
  await sql`
    insert into agent_authorizations
      (id, environment_id, purpose, interaction, session_id, integration, connection_id, approval_id,
       wanted_end_user_id, browser_hash, created_at, expires_at)
    values (${row.id}, ${environmentId}, ${row.purpose}, ${row.interaction}, ${row.sessionId}, ${row.integration},
            ${row.connectionId}, ${row.approvalId}, ${row.wantedEndUserId}, ${row.browserHash}, ${row.now},
            ${row.expiresAt})
    on conflict (${row.purpose === "approve" ? sql`approval_id` : sql`interaction`}) do update
      set id = excluded.id, browser_hash = excluded.browser_hash, end_user_id = null, ticket_hash = null,
          state = 'open', expires_at = excluded.expires_at
      where agent_authorizations.environment_id = excluded.environment_id
        and (agent_authorizations.state in ('open', 'proven') or agent_authorizations.purpose = 'approve')`.execute(
    db,
  );
}

const columns = sql.raw(
  `id, environment_id as "environmentId", purpose, interaction, session_id as "sessionId", integration, connection_id as "connectionId",
   approval_id as "approvalId", wanted_end_user_id as "wantedEndUserId", browser_hash as "browserHash", end_user_id as "endUserId",
   ticket_hash as "ticketHash", state, expires_at as "expiresAt"`,
);

/** Of any environment, unless one is given. */
export async function findAuthorization(
  db: Db,
  {
    id,
    interaction,
    approvalId,
    environmentId,
  }: { id?: string; interaction?: string; approvalId?: string; environmentId?: EnvironmentId },
): Promise<Authorization | undefined> {
  const named =
    id !== undefined
      ? sql`id = ${id}`
      : approvalId !== undefined
        ? sql`approval_id = ${approvalId}`
        : sql`interaction = ${interaction}`;
  const { rows } = await sql<Authorization>`
    select ${columns} from agent_authorizations
     where ${named} and environment_id = ${environmentId ?? sql`environment_id`}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** An address that the session was given before, for the same account. */
export async function findOffer(
  db: Db,
  environmentId: EnvironmentId,
  wanted: { sessionId: string; integration: string; connectionId: string | null; until: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from agent_authorizations
     where environment_id = ${environmentId} and session_id = ${wanted.sessionId} and state = 'open'
       and integration = ${wanted.integration} and expires_at >= ${wanted.until}
       and connection_id is not distinct from ${wanted.connectionId}::text limit 1`.execute(db);
  return rows[0]?.id;
}

/** Ties a request to the browser that opens its address first, or again. */
export async function bindBrowser(
  db: Db,
  environmentId: EnvironmentId,
  { id, browserHash }: { id: string; browserHash: string },
): Promise<void> {
  await sql`
    update agent_authorizations set browser_hash = ${browserHash}, state = 'open', ticket_hash = null,
           end_user_id = null
     where environment_id = ${environmentId} and id = ${id} and state in ('open', 'proven')`.execute(
    db,
  );
}

/** Notes who the browser's user is; false where somebody has said so before. */
export async function proveAuthorization(
  db: Db,
  environmentId: EnvironmentId,
  row: { id: string; endUserId: string; ticketHash: Buffer; now: Date },
): Promise<boolean> {
  const result = await sql`
    update agent_authorizations set state = 'proven', end_user_id = ${row.endUserId}, ticket_hash = ${row.ticketHash}
     where environment_id = ${environmentId} and id = ${row.id} and state = 'open'
       and expires_at > ${row.now} and browser_hash is not null`.execute(db);
  return result.numAffectedRows === 1n;
}

/** Ends it; false where it had ended, of two at once for one. */
export async function endAuthorization(
  db: Db,
  environmentId: EnvironmentId,
  { id, state }: { id: string; state: "done" | "refused" },
): Promise<boolean> {
  const result = await sql`
    update agent_authorizations set state = ${state}, ticket_hash = null
     where environment_id = ${environmentId} and id = ${id} and state in ('open', 'proven')`.execute(
    db,
  );
  return result.numAffectedRows === 1n;
}

export async function deleteAuthorizationsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_authorizations where expires_at < ${time}`.execute(db);
}

/** Of an end user who is erased. */
export async function deleteAuthorizationsOf(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<void> {
  await sql`
    delete from agent_authorizations
     where environment_id = ${environmentId} and (end_user_id = ${endUserId} or wanted_end_user_id = ${endUserId})`.execute(
    db,
  );
}
