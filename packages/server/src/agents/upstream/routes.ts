import type { agentUpstreamRoutes } from "@jackfield/contract";
import { findConnectionByUuid, getConnectionForCall, listConnectionPage } from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration, type Integration, listMcpIntegrations } from "#integrations";
import { allowTools, decideTool } from "./decide-tools.ts";
import { findNewestList } from "./lists/store.ts";
import { presentSummaries, presentUpstream } from "./present-upstream.ts";
import { findUpstream, hasUpstream, refreshTools } from "./refresh-tools.ts";
import { readCursor } from "./tool-page/list-cursor.ts";
import type { ToolPage } from "./tool-page/store.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_TOOLS = 100;
const firstPage: ToolPage = { search: undefined, after: undefined, limit: DEFAULT_TOOLS };
const cursors = keysetCursor({ radix: 36, separator: ".", ids: "number" });

export const agentUpstreamHandlers = {
  listUpstreams: async (ctx, { query: { limit = DEFAULT_LIMIT, cursor, integration } }) => {
    const after = cursor === undefined ? undefined : Number(cursors.read(cursor).id);
    const page = { uniqueKey: integration, after, limit: limit + 1 };
    const found = await listMcpIntegrations(ctx, page);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      data: await presentSummaries(ctx, shown),
      next_cursor:
        last === undefined
          ? null
          : cursors.write({ createdAt: last.createdAt, id: String(last.id) }),
    };
  },
  getUpstream: async (ctx, { params, query: { limit = DEFAULT_TOOLS, cursor, search } }) => {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    return await present(ctx, params.integration, { search, after, limit });
  },
  refreshUpstream: async (ctx, { params, body }) => {
    const integration = await getUpstreamIntegration(ctx, params.integration);
    const connection = await getConnectionOf(ctx, integration, body.connection_id);
    const server = findUpstream({ integration, connection });
    if (server !== undefined) await refreshTools(ctx, server);
    return await present(ctx, params.integration);
  },
  allowUpstream: async (ctx, { params, body: { allow } }) => {
    const integration = await getUpstreamIntegration(ctx, params.integration);
    await allowTools(ctx, { integration, allow });
    return await present(ctx, params.integration);
  },
  decideUpstreamTool: async (ctx, { params: { integration: key, name }, body }) => {
    const integration = await getUpstreamIntegration(ctx, key);
    const { decision, digest, server_url: serverUrl, effect, sends = false } = body;
    await decideTool(ctx, { integration, name, decision, digest, serverUrl, effect, sends });
    return await present(ctx, key);
  },
} satisfies RouteHandlers<typeof agentUpstreamRoutes>;

async function present(ctx: EnvironmentContext, key: string, page: ToolPage = firstPage) {
  return await presentUpstream(ctx, await getUpstreamIntegration(ctx, key), page);
}

async function getUpstreamIntegration(ctx: EnvironmentContext, key: string): Promise<Integration> {
  const integration = await getIntegration(ctx, key);
  if (hasUpstream(integration)) return integration;
  throw new AppError(
    "not_found",
    `The provider of "${key}" names no MCP server; docs/mcp-servers.md says which do.`,
  );
}

async function getConnectionOf(
  ctx: EnvironmentContext,
  integration: Integration,
  connectionId: string | undefined,
) {
  if (connectionId !== undefined) {
    const name = { integrationKey: integration.uniqueKey, connectionId };
    return (await getConnectionForCall(ctx, name)).connection;
  }
  const list = await findNewestList(ctx.db, integration.id);
  const known = list && (await findConnectionByUuid(ctx, asUuid(list.connectionUuid)));
  if (known !== undefined) return known;
  const { listed } = await listConnectionPage(ctx, {
    integrationId: integration.uniqueKey,
    limit: 1,
  });
  const [first] = listed;
  // Lists come without credentials.
  const found = first && (await findConnectionByUuid(ctx, first.connection.uuid));
  if (found !== undefined) return found;
  const message = `"${integration.uniqueKey}" has no connection to read the tools with.`;
  throw new AppError("not_found", message);
}

// The column refers to connections.
function asUuid(uuid: string): ConnectionUuid {
  return uuid as ConnectionUuid;
}
