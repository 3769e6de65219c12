import type { inboxRoutes, RouteOutput } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { findIntegration } from "#integrations";
import type { ListedWebhook } from "../listing/store.ts";
import { findRouting } from "../match/find-routing.ts";
import { type InboundRequest, UnreadableWebhook } from "../match/router.ts";
import type { ReadEvent } from "../reading/jobs.ts";
import { listEvents } from "../reading/read-webhook.ts";
import { decodeContent } from "../receive/kept-request.ts";
import { Shared } from "./handling.ts";

type Event = RouteOutput<typeof inboxRoutes.getInboundWebhook>["data"]["events"][number];

const MOST_EVENTS = 20;
const MOST_CONNECTIONS = 20;
const MOST_CHARACTERS = 255;

/** The events of a received webhook, by what their connections are looked for, and which these are now. */
export async function describeEvents(
  ctx: EnvironmentContext,
  { uniqueKey }: ListedWebhook,
  request: InboundRequest,
): Promise<Event[]> {
  const integration = uniqueKey === null ? undefined : await findIntegration(ctx, uniqueKey);
  if (integration === undefined) return [];
  const events = await readEvents(ctx, findRouting(ctx, integration), request);
  const shared = new Shared();
  const described = events.slice(0, MOST_EVENTS).map(async ({ types, match }) => {
    const isForAll = match === "all";
    const found = isForAll ? [] : await shared.match(ctx, integration, match);
    return {
      types: [...types],
      looked_for: isForAll
        ? []
        : match.map(({ property, value }) => ({ property, value: cut(value) })),
      for_all: isForAll,
      connections: found.slice(0, MOST_CONNECTIONS).map(({ connectionId }) => connectionId),
    };
  });
  return await Promise.all(described);
}

async function readEvents(
  ctx: EnvironmentContext,
  routing: ReturnType<typeof findRouting>,
  request: InboundRequest,
): Promise<readonly ReadEvent[]> {
  try {
    return await listEvents(ctx, routing, await decodeContent(request));
  } catch (error) {
    if (error instanceof UnreadableWebhook) return [];
    throw error;
  }
}

function cut(value: string): string {
  return value.slice(0, MOST_CHARACTERS);
}
