import type { agentSessionRoutes, RouteOutput } from "@jackfield/contract";
import { AppError, type EnvironmentContext, keysetCursor, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RouteHandlers } from "#foundation/http";
import { announceChange, recordChange } from "#logs";
import { type Account, listAccounts } from "./accounts.ts";
import { createSession } from "./create-session.ts";
import { type AgentSession, stateOfSession } from "./session.ts";
import {
  type Ended,
  endSessions,
  findServedSession,
  findSession,
  listSessionRows,
} from "./store.ts";
import { updateSession } from "./update-session.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const agentSessionHandlers = {
  createAgentSession: async (ctx, { body }) => {
    const { toolset, end_user_id: endUserId, expires_in_seconds: seconds, policy, budget } = body;
    const lifeMs = seconds === undefined ? undefined : seconds * SECOND;
    const made = await createSession(ctx, {
      ...{ toolset, endUserId, lifeMs, policy: policy ?? {}, budget },
    });
    return {
      data: {
        ...{ id: made.id, token: made.token, mcp_url: made.mcpUrl },
        toolset_version: made.toolsetVersion,
        expires_at: made.expiresAt.toISOString(),
        ...{ mode: made.mode, tools: made.tools, missing: [...made.missing] },
        accounts: made.accounts.map(presentAccount),
      },
    };
  },
  listAgentSessions: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, end_user_id: endUserId, state, ...filter } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const now = ctx.clock.now();
    const openAt = state === "open" ? now : undefined;
    const page = { ...filter, endUserId, openAt, after, limit: limit + 1 };
    const rows = await listSessionRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((session) => presentSession(session, now)),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getAgentSession: async (ctx, { params }) => {
    const found = await findSession(ctx.db, ctx.environment.id, params.sessionId);
    if (found === undefined) return failMissing();
    const session = presentSession(found, ctx.clock.now());
    const isOpen = session.state === "open";
    // Undefined also where its toolset was deleted meanwhile: then it has no accounts.
    const served = isOpen && (await findServedSession(ctx.db, ctx.environment.id, found.id));
    const accounts = served ? await listAccounts(ctx, served) : [];
    return { data: { ...session, accounts: accounts.map(presentAccount) } };
  },
  updateAgentSession: async (ctx, { params, body }) => {
    const { policy, budget, expires_in_seconds: seconds } = body;
    const lifeMs = seconds === undefined ? undefined : seconds * SECOND;
    const changed = await updateSession(ctx, params.sessionId, { policy, budget, lifeMs });
    return { data: presentSession(changed, ctx.clock.now()) };
  },
  endAgentSession: async (ctx, { params: { sessionId: id } }) => {
    const ended = await end(ctx, { id });
    if (ended === 0 && (await findSession(ctx.db, ctx.environment.id, id)) === undefined) {
      return failMissing();
    }
    announceChange(ctx, ctx.environment.id, "agents");
    recordChange(ctx, { message: "End a session of an agent", meta: { session: id } });
    return undefined;
  },
  stopAgents: async (ctx, { body }) => {
    const { toolset, integration, end_user_id: endUserId } = body;
    const ended = await end(ctx, { toolset, integration, endUserId });
    announceChange(ctx, ctx.environment.id, "agents");
    recordChange(ctx, { message: "Stop agents", meta: { toolset, integration, ended } });
    return { data: { ended } };
  },
} satisfies RouteHandlers<typeof agentSessionRoutes>;

async function end(ctx: EnvironmentContext, which: Omit<Ended, "now">): Promise<number> {
  const now = ctx.clock.now();
  return await withTransaction(
    ctx,
    async ({ db, environment }) => await endSessions(db, environment.id, { ...which, now }),
  );
}

function failMissing(): never {
  throw new AppError("not_found", "No such session; ended ones are kept for 31 days.");
}

function presentAccount({ integration, alias, identity, state, connection }: Account) {
  const { connectionId } = connection;
  return { integration, connection_id: connectionId, alias, state, identity: identity ?? null };
}

function presentSession(
  session: AgentSession,
  now: Date,
): RouteOutput<typeof agentSessionRoutes.updateAgentSession>["data"] {
  const { integrations, actions, effects, connections, preset } = session.policy;
  const { privateRead, untrustedSeen } = session.taint;
  return {
    ...{ id: session.id, toolset: session.toolset, toolset_version: session.toolsetVersion },
    end_user_id: session.endUserId,
    policy: {
      ...(integrations && { integrations: [...integrations] }),
      ...(actions && { actions: [...actions] }),
      ...(effects && { effects: [...effects] }),
      ...(connections && { connections: [...connections] }),
      ...(preset && { preset }),
    },
    taint: { private_read: privateRead, untrusted_seen: untrustedSeen },
    ...{ budget: session.budget, used: session.used, state: stateOfSession(session, now) },
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ended_at: session.endedAt?.toISOString() ?? null,
  };
}
