import { LRUCache } from "lru-cache";
import { findCachedConnectionForCall, openWebhookSecret } from "#connections";
import { AppError, type EnvironmentContext, HOUR, SECOND, serverState } from "#foundation";
import { getWebhookSecrets, type Integration } from "#integrations";
import type { InboundRequest, WebhookKeys } from "../match/router.ts";
import { textOf } from "../match/router-kit.ts";
import { type Routing, routerOf } from "../match/routing.ts";
import { findSecretHolder } from "../reading/read-webhook.ts";

/** What of the integration may prove a request. */
export async function findKeys(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<WebhookKeys> {
  const { credentials, webhookSecret } = await getWebhookSecrets(ctx, integration);
  const { app_id: id, private_key: privateKey, app_link: link } = credentials ?? {};
  const isApp = id !== undefined && privateKey !== undefined && link !== undefined;
  return {
    webhookSecret,
    clientSecret: credentials?.client_secret,
    app: isApp ? { id, privateKey, link } : undefined,
    connectionSecret: undefined,
  };
}

interface Asking {
  readonly integration: Integration;
  readonly routing: Routing;
  readonly decoded: InboundRequest;
  readonly keys: WebhookKeys;
}

/** With the secrets of the connection that the request names, where the provider's webhooks are signed with those. */
export async function addHolder(
  ctx: EnvironmentContext,
  { integration, routing, decoded, keys }: Asking,
): Promise<WebhookKeys> {
  if (routerOf(routing).secretHolder === undefined) return keys;
  const connectionId = await findSecretHolder(ctx, routing, decoded);
  if (connectionId === undefined) return keys;
  return { ...keys, connectionSecret: await findSecret(ctx, integration, connectionId) };
}

/** Older connections have it in the metadata, as `webhookSecret`. */
async function findSecret(
  ctx: EnvironmentContext,
  { uniqueKey }: Integration,
  connectionId: string,
): Promise<string | undefined> {
  const name = { integrationKey: uniqueKey, connectionId };
  const found = await findCachedConnectionForCall(ctx, name);
  if (found === undefined) return undefined;
  const { connection } = found;
  const secret = await openWebhookSecret(ctx, connection);
  return secret ?? textOf(connection.metadata?.["webhookSecret"]);
}

interface Kept {
  readonly text: Promise<string | null>;
  readonly until: number;
}

const KEPT_MS = HOUR;
const FAILURE_KEPT_MS = 5 * SECOND;
const MAX_KEPT = 100;
const kept = serverState(() => new LRUCache<string, Kept>({ max: MAX_KEPT }));

/** A document of a provider that holds its public keys, fetched at most once an hour; null when it is not there. */
export async function fetchDocument(ctx: EnvironmentContext, url: string): Promise<string | null> {
  const documents = kept.of(ctx);
  const now = ctx.clock.now().getTime();
  const known = documents.get(url);
  if (known !== undefined && known.until > now) return await known.text;
  const text = fetchText(ctx, url).catch(() => {
    documents.set(url, { text, until: now + FAILURE_KEPT_MS });
    return null;
  });
  documents.set(url, { text, until: now + KEPT_MS });
  return await text;
}

async function fetchText(ctx: EnvironmentContext, url: string): Promise<string> {
  const answer = await ctx.http.request({
    method: "GET",
    url,
    timeoutMs: 5 * SECOND,
    maxResponseBytes: 256 * 1024,
  });
  if (answer.status === 200) return answer.body.toString("utf8");
  throw new AppError("upstream_unreachable", `${new URL(url).hostname} answered ${answer.status}.`);
}
