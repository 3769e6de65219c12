import type { IncomingMessage } from "node:http";
import { keepWebhookSecret } from "#connections";
import { getCachedEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  type EnvironmentId,
  newTimeId,
  type RunId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { ingressLimiter } from "#gateway";
import { getCachedIntegration, type Integration } from "#integrations";
import { seal } from "#vault";
import { requestAad } from "../inbox/inbox.ts";
import { storeWebhook } from "../inbox/inbox-writer.ts";
import { noteRefused, noteStored } from "../intake/note-intake.ts";
import { findRouting } from "../match/find-routing.ts";
import type { Handshake, InboundRequest, WebhookKeys } from "../match/router.ts";
import { type Routing, routerOf } from "../match/routing.ts";
import type { Examined } from "../reading/jobs.ts";
import { examineRequest } from "../reading/read-webhook.ts";
import { requireRoom } from "../storage/require-room.ts";
import { type BodyHold, holdBodies } from "./held-bodies.ts";
import { decodeContent, MAX_BODY_BYTES, MAX_UNPROVEN_BYTES, packRequest } from "./kept-request.ts";
import { readRequest } from "./read-request.ts";
import { reading } from "./verify-request.ts";
import { addHolder, fetchDocument, findKeys } from "./webhook-keys.ts";

export interface Arriving {
  readonly environmentId: EnvironmentId;
  readonly integrationKey: string;
  readonly message: IncomingMessage;
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
  system: SystemContext,
  { environmentId, integrationKey, message }: Arriving,
): Promise<Receipt> {
  const environment = await getCachedEnvironment(system, environmentId);
  const ctx = withEnvironment(system, environment, { kind: "system" });
  const integration = await getCachedIntegration(ctx, integrationKey);
  try {
    return await takeWebhook(ctx, integration, message);
  } catch (error) {
    noteRefused(ctx, integration, error);
    throw error;
  }
}

async function takeWebhook(
  ctx: EnvironmentContext,
  integration: Integration,
  message: IncomingMessage,
): Promise<Receipt> {
  const { environment } = ctx;
  await admitWebhook(ctx, integration);
  const receivedAt = ctx.clock.now();
  const keys = await findKeys(ctx, integration);
  using hold = holdBodies(ctx);
  const request = await readRequest(ctx, message, {
    limit: limitOf(findRouting(ctx, integration), keys),
    hold,
  });
  const examined = await examine(ctx, { integration, request, keys, hold });
  if (examined.kind === "handshake") {
    await rememberSecret(ctx, integration, examined.handshake);
    return examined;
  }
  if (examined.kind === "empty") return examined;
  const { isVerified, lacksSecret, types, completes } = examined;
  const id: string = newTimeId<RunId>(receivedAt);
  const packed = packRequest(request);
  const bytes = packed.reduce((sum, { byteLength }) => sum + byteLength, 0);
  await requireRoom(ctx, { bytes, isVerified });
  await storeWebhook(ctx, {
    id,
    environmentId: environment.id,
    integrationId: integration.id,
    request: await seal(ctx, requestAad(environment.id, id), ...packed),
    bodyBytes: request.body.byteLength,
    isVerified,
    types,
    // Completing an installation decides whose account the connection is: only the provider may.
    completes: isVerified && completes,
    receivedAt,
  });
  noteStored(ctx, integration, { at: receivedAt, isVerified, lacksSecret });
  return { kind: "stored" };
}

/** Requests that nothing can prove are not worth the bytes of proven ones. */
function limitOf(routing: Routing, keys: WebhookKeys): number {
  const { proof, secretHolder } = routerOf(routing);
  const { webhookSecret, clientSecret, app } = keys;
  const hasSecret = webhookSecret !== undefined || clientSecret !== undefined || app !== undefined;
  const mayProve =
    hasSecret || secretHolder !== undefined || proof?.keyless === true || proof?.required === true;
  return proof !== undefined && mayProve ? MAX_BODY_BYTES : MAX_UNPROVEN_BYTES;
}

interface Examining {
  readonly integration: Integration;
  readonly request: InboundRequest;
  readonly keys: WebhookKeys;
  readonly hold: BodyHold;
}

type Taken = Exclude<Examined, { kind: "needs" | "refused" }>;

/** What the request proves and holds; throws where it is refused. */
async function examine(
  ctx: EnvironmentContext,
  { integration, request, keys, hold }: Examining,
): Promise<Taken> {
  const routing = findRouting(ctx, integration);
  return await reading(async () => {
    const decoded = await decodeContent(request);
    if (decoded !== request) hold.add(decoded.body.byteLength);
    const examination = {
      routing,
      request,
      decodedBody: decoded === request ? undefined : decoded.body,
      keys: await addHolder(ctx, { integration, routing, decoded, keys }),
      now: ctx.clock.now(),
      allowUnsigned: integration.settings.allow_unsigned_webhooks === true,
    };
    const documents = new Map<string, string | null>();
    let examined = await examineRequest(ctx, { ...examination, documents });
    // One key of the provider's; a second look finds it.
    if (examined.kind === "needs") {
      documents.set(examined.url, await fetchDocument(ctx, examined.url));
      examined = await examineRequest(ctx, { ...examination, documents });
    }
    if (examined.kind === "needs") throw new AppError("webhook_invalid_signature");
    if (examined.kind === "refused") throw refuse(examined.code);
    return examined;
  });
}

function refuse(code: Extract<Examined, { kind: "refused" }>["code"]): AppError {
  if (code !== "request_too_large") return new AppError(code);
  return new AppError(
    code,
    `A webhook that nothing proves has at most ${MAX_UNPROVEN_BYTES} bytes; larger ones need the provider's signature.`,
  );
}

/** Counts a webhook for its integration and its environment; throws 429 with the time to wait. */
async function admitWebhook(ctx: EnvironmentContext, { id, settings }: Integration): Promise<void> {
  const { accountId, id: environmentId } = ctx.environment;
  const limiter = ingressLimiter.of(ctx);
  const { webhookLimitPerMinute, webhookEnvironmentLimitPerMinute } = ctx.settings;
  await limiter.admit(ctx, {
    accountId,
    bucket: `webhooks ${id}`,
    whose: "integration",
    limit: settings.webhook_limit_per_min ?? webhookLimitPerMinute,
  });
  await limiter.admit(ctx, {
    accountId,
    bucket: `webhooks of ${environmentId}`,
    whose: "environment",
    limit: webhookEnvironmentLimitPerMinute,
  });
}

/** Keeps the secret that a handshake has brought; an existing one stays, regardless of who sends another. */
async function rememberSecret(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id" | "uniqueKey">,
  { remember }: Handshake,
): Promise<void> {
  if (remember === undefined) return;
  const isKept = await keepWebhookSecret(ctx, integration, remember);
  if (isKept) return;
  ctx.log.warn("inbox.secret_not_kept", {
    integration: integration.uniqueKey,
    reason: "the connection is unknown, or has a secret",
  });
}
