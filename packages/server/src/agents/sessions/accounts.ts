import {
  type Connection,
  type EndUserConnection,
  identify,
  listCachedEndUserConnections,
  listEndUserConnections,
  nameOfAccount,
} from "#connections";
import type { EnvironmentContext } from "#foundation";
import { integrationsOf } from "../toolsets/toolset.ts";
import type { AgentSession, ServedSession } from "./session.ts";

/** A connection of the session's end user, by the name that an agent gives it. */
export interface Account {
  readonly integration: string;
  readonly alias: string;
  /** Who it is at the provider, in one text. */
  readonly identity: string | undefined;
  readonly state: "ok" | "reconnect";
  readonly connection: Connection;
}

/** Of one end user; more are not looked at. */
const MOST_ACCOUNTS = 200;

/** A provider says it: only what looks like a name or an address may appear in a schema that a model reads. */
const harmless = /^[\p{L}\p{N}._@+-]{1,100}$/u;

type Of = Pick<ServedSession, "endUserId" | "policy" | "settings">;

/** The connections that the session may use, as the database has them now. */
export async function listAccounts(ctx: EnvironmentContext, session: Of): Promise<Account[]> {
  const wanted = toWanted(session);
  if (wanted.keys.length === 0) return [];
  return await nameAll(
    ctx,
    session,
    await listEndUserConnections(ctx.db, ctx.environment.id, wanted),
  );
}

/** The same as this process knows them: what has changed is seen within a second. */
export async function listCachedAccounts(ctx: EnvironmentContext, session: Of): Promise<Account[]> {
  const wanted = toWanted(session);
  if (wanted.keys.length === 0) return [];
  return await nameAll(ctx, session, await listCachedEndUserConnections(ctx, wanted));
}

function toWanted({ settings, policy, endUserId }: Of) {
  const keys = integrationsOf(settings[0]).filter(
    (key) => policy.integrations?.includes(key) ?? true,
  );
  return { endUserId, keys, limit: MOST_ACCOUNTS };
}

async function nameAll(
  ctx: EnvironmentContext,
  session: Of,
  listed: readonly EndUserConnection[],
): Promise<Account[]> {
  const allowed = listed.filter(({ connection }) => mayUse(session, connection));
  const known = await Promise.all(
    allowed.map(async ({ connection, integration }) => {
      const identity = nameOfAccount(connection) ?? (await identify(ctx, connection));
      return { connection, integration, identity };
    }),
  );
  return known.map((each) => ({
    ...each,
    alias: aliasOf(each, known),
    state: each.connection.refresh.needsReauthorizationAt === undefined ? "ok" : "reconnect",
  }));
}

function mayUse({ policy }: Pick<AgentSession, "policy">, { connectionId }: Connection): boolean {
  return policy.connections === undefined || policy.connections.includes(connectionId);
}

interface Known {
  readonly integration: string;
  readonly identity: string | undefined;
  readonly connection: Pick<Connection, "connectionId" | "account">;
}

/** Who it is at the provider, by the first word that tells it from the others; else the connection's id. */
function aliasOf(own: Known, all: readonly Known[]): string {
  const others = all.filter((each) => each !== own && each.integration === own.integration);
  const isTaken = (name: string) =>
    others.some((each) => each.connection.connectionId === name || wordsOf(each).includes(name));
  const found = wordsOf(own).find((word) => harmless.test(word) && !isTaken(word));
  return found ?? own.connection.connectionId;
}

function wordsOf({ identity, connection: { account } }: Known): string[] {
  return [identity, account?.label, account?.workspace].filter((word) => word !== undefined);
}
