import { createHash } from "node:crypto";
import { pagesOfIntegration, type WebhookConnection } from "#connections";
import { AppError, type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { open } from "#vault";
import { ArrivedEvents } from "../arrivals/note-handled.ts";
import { findRouting } from "../match/find-routing.ts";
import type { InboundRequest } from "../match/router.ts";
import type { ReadEvent } from "../reading/jobs.ts";
import { listEvents } from "../reading/read-webhook.ts";
import { decodeContent, unpackRequest } from "../receive/kept-request.ts";
import { readLargeRequest, rememberEvents } from "../store.ts";
import type { Handling, Shared } from "./handling.ts";
import { requestAad } from "./inbox.ts";
import { type PassedOn, Passing } from "./passing.ts";

/** What a webhook came to; it is the subject of an operation in the logs. */
export interface Handled extends Handling, PassedOn {
  readonly operationId: OperationId;
  readonly state: "handled" | "duplicate";
  readonly duplicates: number;
  readonly arrived: ArrivedEvents;
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
  const arrived = new ArrivedEvents(handling, routing);
  const passing = new Passing(ctx, { ...handling, request, operationId }, events.length);
  const fresh = new Set(await listNew(ctx, handling, events));
  for (const event of events) {
    const isDuplicate = !fresh.has(event);
    const note = (connections: readonly WebhookConnection[]) => {
      passing.count(connections.length);
      arrived.add({ event, connections, isDuplicate });
    };
    if (event.match === "all") {
      const pages = noteEach(pagesOfIntegration(ctx, integration), note);
      await (isDuplicate ? readAll(pages) : passing.toAll(event, pages));
      continue;
    }
    const connections = await shared.match(ctx, integration, event.match);
    note(connections);
    if (!isDuplicate) passing.toNamed({ event, connections });
  }
  await passing.flush();
  const duplicates = events.length - fresh.size;
  const isDuplicate = duplicates > 0 && duplicates === events.length;
  return {
    ...handling,
    ...passing.outcome,
    ...{ operationId, duplicates, arrived },
    state: isDuplicate ? "duplicate" : "handled",
  };
}

type Pages = AsyncGenerator<readonly WebhookConnection[], undefined>;

async function* noteEach(
  pages: Pages,
  note: (connections: readonly WebhookConnection[]) => void,
): Pages {
  for await (const connections of pages) {
    note(connections);
    yield connections;
  }
}

async function readAll(pages: Pages): Promise<void> {
  let page = await pages.next();
  while (page.done !== true) page = await pages.next();
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
