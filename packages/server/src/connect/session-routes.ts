import { Readable } from "node:stream";
import type { connectRoutes, RouteInput } from "@jackfield/contract";
import { withEndUserTags } from "#connections";
import { stopping } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { listFunnel } from "./funnel/list-funnel.ts";
import { createReconnectSession } from "./sessions/create-reconnect-session.ts";
import {
  type CreatedSession,
  createSession,
  type SessionInput,
} from "./sessions/create-session.ts";
import { describeAccess } from "./sessions/describe-access.ts";
import { describeSession } from "./sessions/describe-session.ts";
import { endConnectSession } from "./sessions/end-connect-session.ts";
import { endOwnSession } from "./sessions/end-own-session.ts";
import { getSessionResult } from "./sessions/get-session-result.ts";
import { listConnectSessions } from "./sessions/list-connect-sessions.ts";
import { streamSessionEvents } from "./sessions/session-events.ts";
import type { ListedSession } from "./sessions/store.ts";

type SessionRoutes = Pick<
  typeof connectRoutes,
  | "createConnectSession"
  | "createReconnectSession"
  | "listConnectSessions"
  | "endConnectSession"
  | "getConnectSession"
  | "getConnectAccess"
  | "deleteConnectSession"
  | "getConnectSessionResult"
  | "streamConnectSessionEvents"
  | "sendConnectTelemetry"
  | "listConnectFunnel"
>;

export const sessionHandlers = {
  createConnectSession: async (ctx, { body }) => {
    const input = toSessionInput(body);
    const { purpose, allowed_integrations: allowedIntegrations } = body;
    const settings = { ...input.settings, allowedIntegrations, purpose };
    return presentCreated(await createSession(ctx, { ...input, settings }));
  },
  createReconnectSession: async (ctx, { body }) => {
    const name = { integrationKey: body.integration_id, connectionId: body.connection_id };
    const input = toSessionInput(body);
    const settings = { ...input.settings, mayChangeAccount: body.allow_account_change };
    return presentCreated(await createReconnectSession(ctx, name, { ...input, settings }));
  },
  listConnectSessions: async (ctx, { query }) => {
    const { is_open, limit = 50, cursor } = query;
    const isOpen = is_open === undefined ? undefined : is_open === "true";
    const { sessions, nextCursor } = await listConnectSessions(ctx, { isOpen, limit, cursor });
    const now = ctx.clock.now();
    return { data: sessions.map((each) => presentListed(each, now)), next_cursor: nextCursor };
  },
  endConnectSession: async (ctx, { params }) => {
    await endConnectSession(ctx, params.sessionId.toLowerCase());
    return undefined;
  },
  getConnectSession: async (ctx) => ({ data: await describeSession(ctx) }),
  getConnectAccess: async (ctx, { params }) => ({
    data: await describeAccess(ctx, params.integrationKey),
  }),
  deleteConnectSession: async (ctx) => {
    await endOwnSession(ctx);
    return undefined;
  },
  getConnectSessionResult: async (ctx, { query }) => ({
    data: await getSessionResult(ctx, query.attempt_id),
  }),
  streamConnectSessionEvents: async (ctx, { query }, { reply }) => {
    const options = { attemptId: query.attempt_id };
    await reply
      .status(200)
      .headers({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        // Proxies that collect answers would hold the events back.
        "x-accel-buffering": "no",
        // Kept alive after a stream that ends as the server stops, it would hold the stop up.
        connection: "close",
      })
      .send(Readable.from(streamSessionEvents(ctx, stopping.of(ctx).signal, options)));
  },
  listConnectFunnel: async (ctx, { query }) => {
    const { provider_config_key: integrationKey, from, to } = query;
    return { data: await listFunnel(ctx, { integrationKey, from, to }) };
  },
  sendConnectTelemetry: async () => undefined,
} satisfies RouteHandlers<SessionRoutes>;

type ReconnectBody = RouteInput<SessionRoutes["createReconnectSession"]>["body"];

/** What both kinds of session take. */
function toSessionInput(
  body: Omit<ReconnectBody, "connection_id" | "integration_id">,
): SessionInput {
  const { integrations_config_defaults: defaults = {}, overrides } = body;
  const { end_user: endUser, organization } = body;
  const lifted = Object.values(defaults).find(
    (values) => values.connection_config?.["webhook_url"],
  );
  return {
    settings: {
      tags: withEndUserTags(body.tags, endUser, organization),
      endUser: endUser && { ...endUser, organization },
      allowedOrigins: body.allowed_origins,
      returnUrl: body.return_url,
      language: body.language,
      overrides,
      webhookUrlOverride: body.webhook_url_override ?? lifted?.connection_config?.["webhook_url"],
    },
    defaults,
  };
}

function presentListed({ settings, ...session }: ListedSession, now: Date) {
  const { allowedIntegrations = [] } = settings;
  return {
    id: session.id,
    state: session.state,
    is_open: session.expiresAt > now,
    is_reconnect: session.isReconnect,
    tags: { ...settings.tags },
    allowed_integrations: allowedIntegrations.length === 0 ? null : [...allowedIntegrations],
    error: session.error,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

function presentCreated({ token, connectLink, expiresAt }: CreatedSession) {
  return { data: { token, connect_link: connectLink, expires_at: expiresAt.toISOString() } };
}
