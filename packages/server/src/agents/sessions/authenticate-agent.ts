import { getCachedEnvironment } from "#environments";
import { type Actor, type Environment, SECOND, type SystemContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { lookupHash } from "#vault";
import { findExternalSession, isExternalToken } from "../oauth/external-token.ts";
import { itemIdOf } from "../oauth/item-id.ts";
import {
  AGENT_TOKEN,
  failUnknownToken,
  isWellFormedAgentToken,
  type ServedSession,
  stateOfSession,
} from "./session.ts";
import { findSessionByAccessToken, findSessionByHash } from "./store.ts";

/** An agent that has shown the token of its session. */
export type AgentActor = Extract<Actor, { kind: "agent" }>;

/** Finds the open session of a token, at the address of a toolset; throws unknown_agent_token, also for a malformed one. */
export async function authenticateAgent(
  ctx: SystemContext,
  token: string,
  params?: unknown,
): Promise<{ readonly environment: Environment; readonly actor: AgentActor }> {
  const askedAt = performance.now();
  const { session, isRemembered } = await findSessionOf(
    ctx,
    token,
    String(Object(params).toolset).toLowerCase(),
  );
  if (session === undefined || stateOfSession(session, ctx.clock.now()) !== "open") {
    return failUnknownToken();
  }
  const environment = await getCachedEnvironment(ctx, session.environmentId);
  const actor: AgentActor = { kind: "agent", sessionId: session.id };
  if (!isRemembered) found.set(actor, { session, askedAt });
  else remembered.set(actor, session);
  return { environment, actor };
}

// Kept with its key: the actor of one request.
const found = new WeakMap<
  AgentActor,
  { readonly session: ServedSession; readonly askedAt: number }
>();
/** A body may come long after its headers, and the session must not be served as it was then. */
const FRESH_MS = SECOND / 4;

// Of processes that have proven the token a moment before, and heard of no change since.
// Kept with its key: the actor of one request.
const remembered = new WeakMap<AgentActor, ServedSession>();

/** The session as it was within the last second; undefined where that is not known. */
export function sessionIfRemembered(agent: AgentActor): ServedSession | undefined {
  return remembered.get(agent);
}

/** The session that its token has just been proven by; undefined where that is no longer now. */
export function sessionIfFresh(agent: AgentActor): ServedSession | undefined {
  const proven = found.get(agent);
  if (proven === undefined || performance.now() - proven.askedAt > FRESH_MS) return undefined;
  return proven.session;
}

const opaque = /^[\w-]{20,100}$/;

const sessions = defineCache<ServedSession>({ maxEntries: 5000 });

interface Proven {
  readonly session: ServedSession | undefined;
  readonly isRemembered: boolean;
}

async function findSessionOf(ctx: SystemContext, token: string, toolset: string): Promise<Proven> {
  if (isWellFormedAgentToken(token)) return await findOwnSession(ctx, token);
  return { session: await findClientSession(ctx, token, toolset), isRemembered: false };
}

async function findOwnSession(ctx: SystemContext, token: string): Promise<Proven> {
  const tokenHash = await lookupHash(ctx, AGENT_TOKEN, token);
  const name = tokenHash.toString("base64");
  const known = sessions.getIfCached(ctx, name);
  if (known !== undefined) return { session: known, isRemembered: true };
  const session = await sessions.find(ctx, name, async () => {
    const value = await findSessionByHash(ctx.db, tokenHash);
    if (value === undefined) return undefined;
    return { value, rows: [`agent_sessions ${value.id}`, `agent_toolsets ${value.toolsetId}`] };
  });
  return { session, isRemembered: false };
}

async function findClientSession(
  ctx: SystemContext,
  token: string,
  toolset: string,
): Promise<ServedSession | undefined> {
  if (isExternalToken(token)) return await findExternalSession(ctx, token, toolset);
  if (!opaque.test(token)) return undefined;
  const id = await itemIdOf(ctx, "AccessToken", token);
  return await findSessionByAccessToken(ctx.db, { id, now: ctx.clock.now() });
}
