import type { connectLinkRoutes } from "@jackfield/contract";
import { AppError, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { announceChange } from "#logs";
import { createLink } from "./create-link.ts";
import { createReconnectLinks } from "./create-reconnect-links.ts";
import { type ConnectLink, stateOfLink } from "./link.ts";
import { listLinkRows, revokeRow } from "./store.ts";
import { openLink, spendLink } from "./use-link.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const linkHandlers = {
  createConnectLink: async (ctx, { body }) => {
    const { tags, allowed_integrations, return_url, language, with_code: withCode = false } = body;
    const { link, url, code } = await createLink(ctx, {
      settings: {
        tags,
        allowedIntegrations: allowed_integrations,
        returnUrl: return_url,
        language,
      },
      withCode,
      note: body.note,
      maxUses: body.max_uses,
      lifeSeconds: body.expires_in_seconds,
    });
    return { data: { link: presentLink(link, ctx.clock.now()), url, code } };
  },
  createReconnectLinks: async (ctx, { body }) => {
    const { created, skipped } = await createReconnectLinks(ctx, body);
    const now = ctx.clock.now();
    return {
      data: {
        links: created.map(({ link, url }) => ({ link: presentLink(link, now), url })),
        skipped: skipped.map(({ integrationKey, connection, reason }) => ({
          provider_config_key: integrationKey,
          connection_id: connection.connectionId,
          reason,
        })),
      },
    };
  },
  listConnectLinks: async (ctx, { query }) => {
    const { state, limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const now = ctx.clock.now();
    const page = { state, now, after, limit: limit + 1 };
    const rows = await listLinkRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((link) => presentLink(link, now)),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  revokeConnectLink: async (ctx, { params }) => {
    const revoked = { id: params.linkId, now: ctx.clock.now() };
    if (await revokeRow(ctx.db, ctx.environment.id, revoked)) {
      announceChange(ctx, ctx.environment.id, "connect-links");
      return undefined;
    }
    throw new AppError("not_found", "No such link; ended ones are kept for 31 days.");
  },
  openConnectLink: async (ctx, { body }) => {
    const opened = await openLink(ctx, body.token);
    return {
      data: {
        integrations: opened.integrations,
        asks_for: opened.asksFor,
        expires_at: opened.expiresAt.toISOString(),
        uses_left: opened.usesLeft,
        needs_code: opened.needsCode,
        language: opened.language,
        connectUISettings: opened.pageSettings,
      },
    };
  },
  useConnectLink: async (ctx, { body }) => {
    const { connectLink, expiresAt } = await spendLink(ctx, body);
    return { data: { connect_link: connectLink, expires_at: expiresAt.toISOString() } };
  },
} satisfies RouteHandlers<Omit<typeof connectLinkRoutes, "showConnectLink">>;

function presentLink(link: ConnectLink, now: Date) {
  const { allowedIntegrations = [], tags } = link.settings;
  return {
    ...{ id: link.id, state: stateOfLink(link, now), note: link.note, tags: { ...tags } },
    allowed_integrations: allowedIntegrations.length === 0 ? null : [...allowedIntegrations],
    reconnects: link.reconnects && {
      provider_config_key: allowedIntegrations[0] ?? "",
      connection_id: link.reconnects.connectionId,
    },
    uses: link.uses,
    max_uses: link.maxUses,
    needs_code: link.needsCode,
    last_used_at: link.lastUsedAt?.toISOString() ?? null,
    created_at: link.createdAt.toISOString(),
    created_by: link.createdBy,
    expires_at: link.expiresAt.toISOString(),
    revoked_at: link.revokedAt?.toISOString() ?? null,
  };
}
