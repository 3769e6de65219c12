import type { InboundEvent, InboundRequest, Match } from "../match/router.ts";
import { at, matches, ownHeader, textOf, texts, valueAt } from "../match/router-kit.ts";
import { type Routing, routerOf, type WebhookRules } from "../match/routing.ts";

/**
 * The events of a request, as its provider's router reads them, with what holds for every integration: a connection
 * that the request names comes first, then what the integration's own rules find, then the router's matches. A request
 * without a body is one event, whose payload is its headers. Throws `UnreadableWebhook`.
 */
export function readEvents(routing: Routing, request: InboundRequest): readonly InboundEvent[] {
  const router = routerOf(routing);
  const events =
    request.body.byteLength === 0 && router.readsHeaders !== true
      ? [{ payload: request.headers, types: [], match: [] }]
      : router.read(request);
  return events.map((event) => withRules(event, routing, request));
}

function withRules(event: InboundEvent, routing: Routing, request: InboundRequest): InboundEvent {
  const { rules } = routing;
  const within = { request, payload: event.payload };
  const named = namesConnection(event, routing, request);
  const ruled = (rules?.match ?? []).flatMap(({ value, property }) =>
    matches([property, valueAt(value, within)]),
  );
  const type = rules?.type === undefined ? undefined : valueAt(rules.type, within);
  return {
    ...event,
    types: texts(type, ...event.types),
    id: event.id ?? (rules?.event_id && textOf(valueAt(rules.event_id, within))),
    match: combine([...named, ...ruled], event.match, rules),
  };
}

/** An event for all is for the connection that it names alone, and never for all where the integration has rules. */
function combine(
  own: readonly Match[],
  given: InboundEvent["match"],
  rules: WebhookRules | undefined,
): InboundEvent["match"] {
  if (given !== "all") return [...own, ...given];
  return own.length > 0 || (rules?.match ?? []).length > 0 ? own : "all";
}

const HEADERS = ["x-svc-connection-id", "svc-connection-id"];

/**
 * The connection that the webhook's address or headers name: who set the webhook up chose these. The body counts only
 * where no router knows the provider, since senders of others may fill fields of their own.
 */
function namesConnection(
  { payload }: InboundEvent,
  { kind, word }: Routing,
  request: InboundRequest,
): Match[] {
  const words = word === undefined ? ["svc"] : ["svc", word];
  const inQuery = words.map((each) => `query:${each}ConnectionId`);
  const inBody = words.flatMap((each) => [[`${each}ConnectionId`], [each, "connectionId"]]);
  const candidates = [
    ...inQuery.map((place) => valueAt(place, { request, payload })),
    ...HEADERS.map((name) => ownHeader(request, name)),
    ...(kind === "plain" ? inBody.map((path) => at(payload, ...path)) : []),
  ];
  return matches(["connectionId", candidates.find((value) => textOf(value) !== undefined)]);
}
