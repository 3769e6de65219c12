import { randomInt } from "node:crypto";
import { findMcpUrl } from "#auth-modes";
import { type Connection, hideCredentials } from "#connections";
import { getWebhookTargets } from "#environments";
import {
  AppError,
  addMs,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  messageOf,
  SECOND,
  serverState,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { findProviderOf, type Integration, toCallSubject } from "#integrations";
import { sendWebhook } from "#webhooks-out";
import type { UpstreamServer } from "./client/door.ts";
import { type ReadList, readTools } from "./client/read-tools.ts";
import { cleanText } from "./definitions/clean-text.ts";
import { diffDefinitions } from "./definitions/diff-definitions.ts";
import { type ChangedTool, saveFailure, saveList } from "./lists/store.ts";

/** A server that names no time has its list read again after this; one that names any, within these bounds. */
const USUAL_TTL_MS = 5 * MINUTE;
const SHORTEST_TTL_MS = 30 * SECOND;
const LONGEST_TTL_MS = HOUR;
const AFTER_FAILURE_MS = MINUTE;
/** Without any use; those that were read together drift apart. */
const EVERY_MS = 10 * MINUTE;
const SPREAD_MS = 2 * MINUTE;
const LONGEST_REFRESH_MS = 30 * SECOND;
const LONGEST_FAILURE = 300;

type Place = Pick<UpstreamServer, "integration" | "connection">;

/** The server of the connection; undefined where its integration has none. */
export function findUpstream({ integration, connection }: Place): UpstreamServer | undefined {
  const text = findMcpUrl(toCallSubject(integration, connection.connectionConfig));
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null)
    throw new AppError("missing_base_url", "The address of the MCP server is none.");
  return { integration, connection, url };
}

/** Whether an integration has tools of another MCP server. */
export function hasUpstream(integration: Integration): boolean {
  return findProviderOf(integration)?.mcp !== undefined;
}

/** Refreshes that run in this process, by connection. */
const running = serverState(() => new Map<Connection["uuid"], Promise<string | undefined>>());

/**
 * Reads the list of tools for the connection and stores it; what has changed since is gone for agents at once.
 * Resolves to why it could not be read, in words for the operator. One attempt serves all who ask while it runs.
 */
export async function refreshTools(
  ctx: EnvironmentContext,
  server: UpstreamServer,
): Promise<string | undefined> {
  const attempts = running.of(ctx);
  const { uuid } = server.connection;
  const known = attempts.get(uuid);
  if (known !== undefined) return await known;
  // It outlives its callers.
  const own = { ...ctx, signal: new AbortController().signal };
  const attempt = refresh(own, server).finally(() => attempts.delete(uuid));
  attempts.set(uuid, attempt);
  return await attempt;
}

async function refresh(
  ctx: EnvironmentContext,
  server: UpstreamServer,
): Promise<string | undefined> {
  const { integration, connection, url } = server;
  const place = {
    integrationId: integration.id,
    connectionUuid: connection.uuid,
    serverUrl: url.href,
  };
  const signal = AbortSignal.timeout(LONGEST_REFRESH_MS);
  let read: ReadList;
  try {
    read = await withoutCredentials(ctx, server, await readTools(ctx, server, { signal }));
  } catch (error) {
    const reason = signal.aborted ? "The server did not answer in time." : messageOf(error);
    const failure = cleanText(await hide(ctx, server, reason), LONGEST_FAILURE);
    const failedAt = ctx.clock.now();
    const expiresAt = addMs(failedAt, AFTER_FAILURE_MS);
    const refreshAt = addMs(failedAt, EVERY_MS);
    const facts = { ...place, failure, failedAt, expiresAt, refreshAt };
    await saveFailure(ctx.db, ctx.environment.id, facts);
    return failure;
  }
  const now = ctx.clock.now();
  const ttlMs = Math.min(Math.max(read.ttlMs ?? USUAL_TTL_MS, SHORTEST_TTL_MS), LONGEST_TTL_MS);
  await withTransaction(ctx, async (ctx) => {
    const refreshAt = addMs(now, Math.max(ttlMs, EVERY_MS) + randomInt(SPREAD_MS));
    const list = { ...place, ...read, now, expiresAt: addMs(now, ttlMs), refreshAt };
    const changed = await saveList(ctx.db, ctx.environment.id, list);
    await sendChangedWebhooks(ctx, server, changed);
  });
  return undefined;
}

/** A server may write what it was sent into a description, which operators and models then read. */
async function withoutCredentials(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  read: ReadList,
): Promise<ReadList> {
  const text = JSON.stringify(read.tools);
  const hidden = await hide(ctx, server, text);
  // Only texts have been replaced by texts.
  return hidden === text ? read : { ...read, tools: JSON.parse(hidden) as ReadList["tools"] };
}

async function hide(
  ctx: EnvironmentContext,
  { integration: { uniqueKey: integration }, connection }: UpstreamServer,
  text: string,
): Promise<string> {
  return await hideCredentials(ctx, { integration, connection }, text);
}

/** A server that changes everything at once is worth one look, not thousands of webhooks. */
const MOST_WEBHOOKS = 50;

/** Queues a webhook for each tool that is gone for agents since its server has changed it, where they are wanted. */
async function sendChangedWebhooks(
  ctx: EnvironmentContext,
  { integration, connection }: UpstreamServer,
  changed: readonly ChangedTool[],
): Promise<void> {
  if (changed.length === 0) return;
  const { settings, urls } = await getWebhookTargets(ctx);
  if (!settings.on_agent_tool_changed || urls.length === 0) return;
  for (const { before, after } of changed.slice(0, MOST_WEBHOOKS)) {
    await sendWebhook(ctx, {
      type: "agent_tool_changed",
      body: {
        ...{ from: "svc", type: "agent_tool_changed", operation: "changed" },
        ...{ connectionId: connection.connectionId, providerConfigKey: integration.uniqueKey },
        tool: {
          ...{ name: after.name, server_url: after.serverUrl },
          ...{ allowed_digest: before.digest, digest: after.digest },
          changes: diffDefinitions(before.definition, after.definition),
        },
      },
    });
  }
}
