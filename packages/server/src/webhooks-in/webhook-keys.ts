import { recallConnectionForCall } from "#connections";
import { getWebhookSecrets, type Integration } from "#integrations";
import { AppError, type EnvironmentContext, HOUR, SECOND } from "#platform";
import type { InboundRequest, ProofTools, Router, WebhookKeys } from "./router.ts";

/** What may prove the request: secrets of the integration, and of the connection that the request names. */
export async function findKeys(
  ctx: EnvironmentContext,
  integration: Integration,
  router: Router,
  request: InboundRequest,
): Promise<WebhookKeys> {
  const { credentials, webhookSecret } = await getWebhookSecrets(ctx, integration);
  const { app_id: id, private_key: privateKey, app_link: link } = credentials ?? {};
  const isApp = id !== undefined && privateKey !== undefined && link !== undefined;
  return {
    webhookSecret,
    clientSecret: credentials?.client_secret,
    app: isApp ? { id, privateKey, link } : undefined,
    metadata: await findMetadata(ctx, integration, router, request),
  };
}

async function findMetadata(
  ctx: EnvironmentContext,
  { uniqueKey }: Integration,
  { secretHolder }: Router,
  request: InboundRequest,
): Promise<WebhookKeys["metadata"]> {
  const connectionId = secretHolder?.(request)?.value;
  if (connectionId === undefined) return undefined;
  try {
    const name = { integrationKey: uniqueKey, connectionId };
    return (await recallConnectionForCall(ctx, name)).connection.metadata;
  } catch (error) {
    if (error instanceof AppError && error.code === "unknown_connection") return undefined;
    throw error;
  }
}

interface Kept {
  readonly text: Promise<string>;
  readonly until: number;
}

const KEPT_MS = HOUR;
const FAILURE_KEPT_MS = 5 * SECOND;
const MAX_KEPT = 100;
const kept = new WeakMap<EnvironmentContext["keys"], Map<string, Kept>>();

/** Documents of providers that hold their public keys, each fetched at most once an hour. */
export function toProofTools(ctx: EnvironmentContext): ProofTools {
  const documents = kept.get(ctx.keys) ?? new Map<string, Kept>();
  kept.set(ctx.keys, documents);
  const now = ctx.clock.now();
  return {
    now,
    async fetchText(url) {
      const known = documents.get(url);
      if (known !== undefined && known.until > now.getTime()) return await known.text;
      if (documents.size >= MAX_KEPT) documents.clear();
      const text = fetchText(ctx, url);
      documents.set(url, { text, until: now.getTime() + KEPT_MS });
      text.catch(() => documents.set(url, { text, until: now.getTime() + FAILURE_KEPT_MS }));
      return await text;
    },
  };
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
