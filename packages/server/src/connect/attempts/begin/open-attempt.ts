import { randomUUID } from "node:crypto";
import { findConnectionByUuid } from "#connections";
import {
  AppError,
  type ConnectionUuid,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { getIntegration, type Integration, providerOf } from "#integrations";
import { authenticateSession } from "../../authenticate-session.ts";
import { markStep } from "../../funnel/mark-step.ts";
import {
  type AttemptName,
  allowsIntegration,
  type ConnectSession,
  MAX_CONNECTIONS_PER_SESSION,
} from "../../session.ts";
import { openDefaults } from "../../session-defaults.ts";
import { countMade } from "../../store.ts";
import { type ConnectQuery, invalidQuery } from "./parse-connect-query.ts";
import { toWishes, type Wishes } from "./wishes.ts";

/** A session that may make another connection, and who asks for it. */
export interface OpenSession {
  readonly ctx: EnvironmentContext;
  readonly session: ConnectSession;
}

/** One try to make a connection. */
export interface Attempt extends OpenSession, AttemptName {
  readonly integration: Integration;
  /** The id that the connection will have. */
  readonly connectionId: string;
  readonly wishes: Wishes;
}

/** Throws the 401 codes of sessions; of one that has made as many connections as it may, session_used. */
export async function openSession(ctx: SystemContext, query: ConnectQuery): Promise<OpenSession> {
  const { environment, session } = await authenticateSession(ctx, requireToken(query));
  if (query.connection_id !== undefined) {
    throw invalidQuery(
      ["connection_id"],
      "may not be sent: a session chooses the connection's id itself",
    );
  }
  await requireUnused(ctx, session);
  const actor = { kind: "session", sessionId: session.id } as const;
  return { ctx: withEnvironment(ctx, environment, actor), session };
}

/** Throws session_used before anything is spent on a connection that the session may not make. */
export async function requireUnused(
  ctx: SystemContext,
  { environmentId, id }: ConnectSession,
): Promise<void> {
  const made = await countMade(ctx.db, environmentId, id);
  if (made >= MAX_CONNECTIONS_PER_SESSION) throw new AppError("session_used");
}

function requireToken({ connect_session_token: token, public_key: key }: ConnectQuery): string {
  if (token !== undefined && key !== undefined) {
    throw invalidQuery(
      ["public_key"],
      "cannot be combined with connect_session_token: send only that",
    );
  }
  if (token !== undefined) return token;
  if (key !== undefined) {
    throw new AppError(
      "deprecated_authentication",
      "Public keys are no longer accepted: create a session with POST /connect/sessions and send its token as connect_session_token. See docs/connect.md.",
    );
  }
  throw new AppError(
    "invalid_connect_session_token_format",
    "Add the session's token as connect_session_token.",
  );
}

/** The integration, if the session may authorize it. */
export async function getAllowedIntegration(
  { ctx, session }: OpenSession,
  integrationKey: string,
): Promise<Integration> {
  const integration = await getIntegration(ctx, integrationKey);
  if (allowsIntegration(session, integrationKey)) return integration;
  throw new AppError(
    "integration_not_allowed",
    `The connect session does not allow the integration ${integrationKey}.`,
  );
}

/** Checks that the session may authorize this integration; throws integration_not_allowed, invalid_connection. */
export async function openAttempt(
  open: OpenSession,
  { integrationKey, query }: { integrationKey: string; query: ConnectQuery },
): Promise<Attempt> {
  const { ctx, session } = open;
  const integration = await getAllowedIntegration(open, integrationKey);
  const defaults = (await openDefaults(ctx, session))[integrationKey] ?? {};
  const connectionId =
    session.reconnects === undefined
      ? randomUUID()
      : await requireTarget(ctx, session.reconnects, integration);
  const wishes = toWishes(providerOf(integration), query, defaults);
  const { attempt_id: attemptId, ws_client_id: clientId } = query;
  const name = { id: randomUUID(), attemptId, clientId };
  await markStep(ctx, session, { step: "started", integrationId: integration.id });
  return { ...name, ctx, session, integration, connectionId, wishes };
}

/** What the connection that a session authorizes again holds, so that it stays with its account at the provider. */
export async function findKeptConfig(
  ctx: EnvironmentContext,
  { reconnects }: ConnectSession,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (reconnects === undefined) return undefined;
  return (await findConnectionByUuid(ctx, reconnects))?.connectionConfig;
}

async function requireTarget(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  integration: Integration,
): Promise<string> {
  const connection = await findConnectionByUuid(ctx, uuid);
  if (connection?.integrationId === integration.id) return connection.connectionId;
  throw new AppError("invalid_connection");
}
