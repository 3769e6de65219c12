import { createHash } from "node:crypto";
import type { WebhookConnection } from "#connections";
import { AppError, type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { runWebhookHandlers } from "#syncs";
import { open } from "#vault";
import { ArrivedEvents } from "../arrivals/note-handled.ts";
import { findRouting } from "../match/find-routing.ts";
import type { InboundRequest } from "../match/router.ts";
import type { ReadEvent } from "../reading/jobs.ts";
import { listEvents } from "../reading/read-webhook.ts";
import { decodeContent, unpackRequest } from "../receive/kept-request.ts";
import { readLargeRequest, rememberEvents } from "../store.ts";
import { forwardEvents } from "./forward-events.ts";
import type { Handling, Shared } from "./handling.ts";
import { requestAad } from "./inbox.ts";

/** What a webhook came to; it is the subject of an operation in the logs. */
export interface Handled extends Handling {
  readonly operationId: OperationId;
  readonly state: "handled" | "duplicate";
  readonly connections: readonly WebhookConnection[];
  readonly duplicates: number;
  readonly runs: number;
  readonly arrived: ArrivedEvents;
}

/** What is passed on in one transaction: each event to each of its connections. */
const MOST_PASSED_ON = 200_000;

function tooMany(events: number): AppError {
  return new AppError(
    "conflict",
    `The webhook has ${events} events for so many connections that more than ${MOST_PASSED_ON} would be passed on.`,
  );
}

/** The request of a kept webhook, as it was received. */
export async function openRequest(
  ctx: EnvironmentContext,
  webhook: { id: string; request: Buffer | null },
): Promise<InboundRequest> {
  const found = await findRequest(ctx, webhook);
  if (found !== undefined) return found;
  throw new AppError("not_found", `Webhook ${webhook.id} has no request any more.`);
}

/** Undefined when it was deleted to make room between the two looks at it. */
export async function findRequest(
  ctx: EnvironmentContext,
  { id, request }: { id: string; request: Buffer | null },
): Promise<InboundRequest | undefined> {
  const environmentId = ctx.environment.id;
  const sealed = request ?? (await readLargeRequest(ctx.db, environmentId, id));
  if (sealed === undefined) return undefined;
  return unpackRequest(await open(ctx, requestAad(environmentId, id), sealed));
}

/** Passes on every event of a webhook: to the customer and to functions, in the caller's transaction. */
export async function handleWebhook(
  ctx: EnvironmentContext,
  handling: Handling & { readonly shared: Shared },
): Promise<Handled> {
  const { integration, webhook, shared } = handling;
  const request = await openRequest(ctx, webhook);
  const routing = findRouting(ctx, integration);
  const events = await listEvents(ctx, routing, await decodeContent(request));
  const operationId = newTimeId<OperationId>(webhook.receivedAt);
  const found = new Map<string, WebhookConnection>();
  const passed = [];
  const arrived = new ArrivedEvents(handling, routing);
  const fresh = new Set(await listNew(ctx, handling, events));
  let count = 0;
  for (const event of events) {
    const connections = await shared.match(ctx, integration, event);
    count += connections.length;
    if (count > MOST_PASSED_ON) throw tooMany(events.length);
    const isDuplicate = !fresh.has(event);
    arrived.add({ event, connections, isDuplicate });
    if (isDuplicate) continue;
    for (const connection of connections) found.set(connection.uuid, connection);
    passed.push({ event, connections });
  }
  await forwardEvents(ctx, { ...handling, request, operationId }, passed);
  let runs = 0;
  for (const { event, connections } of passed) {
    runs += await runWebhookHandlers(ctx, {
      integration,
      connections: connections.map(({ uuid }) => uuid),
      types: event.types,
      payload: event.payload,
      mayLock: shared.mayLock,
    });
  }
  const duplicates = events.length - passed.length;
  const isDuplicate = duplicates > 0 && duplicates === events.length;
  return {
    ...handling,
    operationId,
    state: isDuplicate ? "duplicate" : "handled",
    connections: [...found.values()],
    duplicates,
    runs,
    arrived,
  };
}

/**
 * Those that were not handled before. The same event may go to several subscriptions, one for each connection, so where
 * it goes counts too. What nobody has signed is no repetition of what the provider has: a stranger's id must not take
 * the place of a real one.
 */
async function listNew(
  ctx: EnvironmentContext,
  { integration, webhook }: Handling,
  events: readonly ReadEvent[],
): Promise<readonly ReadEvent[]> {
  const named = new Map<string, Buffer>();
  const hashes = events.map(({ id, match }) => {
    if (id === undefined) return undefined;
    const hash = createHash("sha256")
      .update(JSON.stringify([id, match, webhook.isVerified]))
      .digest()
      .subarray(0, 16);
    const text = hash.toString("hex");
    named.set(text, hash);
    return text;
  });
  if (named.size === 0) return events;
  const queue = { environmentId: ctx.environment.id, integrationId: integration.id };
  const now = ctx.clock.now();
  const fresh = await rememberEvents(ctx.db, queue, { hashes: [...named.values()], now });
  const known = webhook.isReplay ? [...named.values()] : fresh;
  const left = new Set(known.map((hash) => hash.toString("hex")));
  // Of several in one request with the same id, the first counts.
  return events.filter((_event, position) => {
    const hash = hashes[position];
    return hash === undefined || left.delete(hash);
  });
}
