import type { IncomingMessage } from "node:http";
import { recallEnvironment } from "#environments";
import type { IngressLimiter } from "#gateway";
import { recallIntegration } from "#integrations";
import {
  type EnvironmentId,
  type InstallationContext,
  newTimeId,
  type RunId,
  withEnvironment,
} from "#platform";
import { seal } from "#vault";
import { findRouter } from "./find-router.ts";
import { requestPlace } from "./inbox.ts";
import { storeWebhook } from "./inbox-writer.ts";
import { decodeContent, packRequest } from "./kept-request.ts";
import { readRequest } from "./read-request.ts";
import { rememberSecret } from "./remember-secret.ts";
import {
  type Handshake,
  type InboundEvent,
  type InboundRequest,
  type Router,
  UnreadableWebhook,
} from "./router.ts";
import { reading, verifyRequest } from "./verify-request.ts";
import { findKeys, toProofTools } from "./webhook-keys.ts";

export interface Arriving {
  readonly environmentId: EnvironmentId;
  readonly integrationKey: string;
  readonly message: IncomingMessage;
  readonly limiter: IngressLimiter;
}

export type Receipt =
  | { readonly kind: "stored" }
  /** There was nothing in it. */
  | { readonly kind: "empty" }
  | { readonly kind: "handshake"; readonly handshake: Handshake };

/**
 * Takes a provider's request: proves it, stores it, and only then returns. Throws 4xx for what is not the
 * provider's, or not for anyone here.
 */
export async function receiveWebhook(
  installation: InstallationContext,
  { environmentId, integrationKey, message, limiter }: Arriving,
): Promise<Receipt> {
  const environment = await recallEnvironment(installation, environmentId);
  const ctx = withEnvironment(installation, environment, { kind: "system" });
  const integration = await recallIntegration(ctx, integrationKey);
  await limiter.admit(ctx, {
    accountId: environment.accountId,
    bucket: `webhooks ${integration.id}`,
    limit: integration.settings.webhook_limit_per_min ?? 0,
  });
  const receivedAt = ctx.clock.now();
  const request = await readRequest(ctx, message);
  const decoded = await reading(async () => await decodeContent(request));
  const router = findRouter(integration);
  const keys = await reading(async () => await findKeys(ctx, integration, router, decoded));
  const greet = async () => await reading(async () => router.handshake?.(decoded, keys));
  const hasBody = request.body.byteLength > 0;
  if (router.handshakeIsSigned !== true) {
    const handshake = await greet();
    if (handshake !== undefined) {
      await rememberSecret(ctx, integration, handshake);
      return { kind: "handshake", handshake };
    }
  }
  if (!hasBody && (request.method !== "POST" || !router.readsHeaders)) return { kind: "empty" };
  const allowUnsigned = integration.settings.allow_unsigned_webhooks === true;
  const tools = toProofTools(ctx);
  const verifying = { router, request, decoded, keys, tools, allowUnsigned };
  const isVerified = await reading(async () => await verifyRequest(verifying));
  const handshake = router.handshakeIsSigned === true ? await greet() : undefined;
  if (handshake !== undefined) return { kind: "handshake", handshake };
  const events = await reading(async () => readEvents(router, decoded));
  const id: string = newTimeId<RunId>(receivedAt);
  await storeWebhook(ctx, {
    id,
    environmentId: environment.id,
    integrationId: integration.id,
    request: await seal(ctx, requestPlace(environment.id, id), packRequest(request)),
    bodyBytes: request.body.byteLength,
    isVerified,
    types: [...new Set(events.flatMap(({ types }) => types))].slice(0, MAX_TYPES),
    // Whoever completes an installation says whose account the connection is: only the provider may.
    completes: isVerified && events.some(({ completes }) => completes !== undefined),
    receivedAt,
  });
  return { kind: "stored" };
}

// Only for those who read the list.
const MAX_TYPES = 20;
// No vendor puts more into a request (Microsoft Graph: 1000), and each is looked up and passed on by itself.
const MAX_EVENTS = 1000;

function readEvents(router: Router, request: InboundRequest): readonly InboundEvent[] {
  const events = router.read(request);
  if (events.length <= MAX_EVENTS) return events;
  throw new UnreadableWebhook(`it has more than ${MAX_EVENTS} events`);
}
