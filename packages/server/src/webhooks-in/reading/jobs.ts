import { WrittenJson, writeSorted } from "#foundation/json";
import {
  type Handshake,
  type InboundEvent,
  type InboundRequest,
  type ProofTools,
  UnreadableWebhook,
  type WebhookKeys,
} from "../match/router.ts";
import { type Routing, routerOf } from "../match/routing.ts";
import { MAX_UNPROVEN_BYTES } from "../receive/kept-request.ts";
import { type Proven, proveRequest, type Refusal } from "./prove-request.ts";
import { readEvents } from "./read-events.ts";

/** What is to be found out of a request. Everything in it can be sent to a thread. */
export type ReadJob =
  | { readonly kind: "holder"; readonly routing: Routing; readonly decoded: InboundRequest }
  | ({ readonly kind: "examine" } & Examination)
  | { readonly kind: "events"; readonly routing: Routing; readonly decoded: InboundRequest };

export interface Examination {
  readonly routing: Routing;
  /** As received. */
  readonly request: InboundRequest;
  /** Its body without its content coding; undefined where it has none. */
  readonly decodedBody: Buffer | undefined;
  readonly keys: WebhookKeys;
  readonly now: Date;
  readonly allowUnsigned: boolean;
  /** Texts that were fetched for the proof, by address; null for one that could not be. */
  readonly documents: ReadonlyMap<string, string | null>;
}

export type Examined =
  /** The proof needs the document at this address. */
  | { readonly kind: "needs"; readonly url: string }
  | { readonly kind: "refused"; readonly code: Refusal | "request_too_large" }
  | { readonly kind: "handshake"; readonly handshake: Handshake }
  /** There is nothing in it. */
  | { readonly kind: "empty" }
  | {
      readonly kind: "taken";
      readonly isVerified: boolean;
      /** The provider signs, and nothing is set to verify it with. */
      readonly lacksSecret: boolean;
      readonly types: readonly string[];
      readonly completes: boolean;
    };

/** An event whose payload is JSON, written with its keys in order. */
export interface ReadEvent extends Omit<InboundEvent, "payload"> {
  readonly payload: Uint8Array;
}

export type ReadAnswer = string | undefined | Examined | readonly ReadEvent[];

// What a provider asks at the set-up is short; only so much is read of a request that proves nothing.
const MAX_HANDSHAKE_BYTES = 8 * 1024;
// No vendor puts more into a request (Microsoft Graph: 1000), and each is looked up and passed on by itself.
const MAX_EVENTS = 1000;
// Anybody can send what nobody has signed, and each event costs a delivery and a query.
const MAX_UNPROVEN_EVENTS = 100;
// Only for those who read the list.
const MAX_TYPES = 20;

/** Does a job; throws `UnreadableWebhook` where the body is not what the provider sends. */
export async function runReadJob(job: ReadJob): Promise<ReadAnswer> {
  if (job.kind === "holder") return routerOf(job.routing).secretHolder?.(job.decoded)?.value;
  if (job.kind === "examine") return await examine(job);
  const events = readBounded(job.routing, job.decoded, MAX_EVENTS);
  return events.map((event) => ({ ...event, payload: Buffer.from(writeSorted(event.payload)) }));
}

/** Proves the request before anything of it is read, but for what a provider asks before it can sign. */
async function examine(examination: Examination): Promise<Examined> {
  const { request, decodedBody, keys, routing } = examination;
  const router = routerOf(routing);
  const decoded = decodedBody === undefined ? request : { ...request, body: decodedBody };
  const greet = () =>
    decoded.body.byteLength > MAX_HANDSHAKE_BYTES ? undefined : router.handshake?.(decoded, keys);
  const early = router.handshakeIsSigned === true ? undefined : greet();
  if (early !== undefined) return { kind: "handshake", handshake: early };
  if (isEmpty(decoded)) return { kind: "empty" };
  const tools = new Documents(examination);
  const proven = await proveRequest({ ...examination, router, decoded, tools });
  if (proven === "webhook_invalid_signature" && tools.missing !== undefined) {
    return { kind: "needs", url: tools.missing };
  }
  if (isRefusal(proven)) return { kind: "refused", code: proven };
  const late = router.handshakeIsSigned === true ? greet() : undefined;
  if (late !== undefined) return { kind: "handshake", handshake: late };
  const isVerified = proven === "verified";
  if (!isVerified && decoded.body.byteLength > MAX_UNPROVEN_BYTES) {
    return { kind: "refused", code: "request_too_large" };
  }
  const events = readBounded(routing, decoded, isVerified ? MAX_EVENTS : MAX_UNPROVEN_EVENTS);
  return {
    kind: "taken",
    isVerified,
    lacksSecret: proven === "no_secret" && !examination.allowUnsigned,
    types: [...new Set(events.flatMap(({ types }) => types))].slice(0, MAX_TYPES),
    completes: events.some(({ completes }) => completes !== undefined),
  };
}

function isRefusal(proven: Proven | Refusal): proven is Refusal {
  return proven !== "verified" && proven !== "unverified" && proven !== "no_secret";
}

/** A question whether anyone is there; a POST without a body is an event. */
function isEmpty({ method, body }: InboundRequest): boolean {
  return body.byteLength === 0 && method !== "POST";
}

/** What was fetched for a proof; remembers what it still needs. */
class Documents implements ProofTools {
  readonly now: Date;
  missing: string | undefined;
  readonly #known: Examination["documents"];

  constructor({ now, documents }: Examination) {
    this.now = now;
    this.#known = documents;
  }

  async fetchText(url: string): Promise<string> {
    const text = this.#known.get(url);
    if (text === undefined) this.missing = url;
    if (text === undefined || text === null) throw new Error(`${url} is not there`);
    return await Promise.resolve(text);
  }
}

function readBounded(
  routing: Routing,
  request: InboundRequest,
  limit: number,
): readonly InboundEvent[] {
  const events = readEvents(routing, request);
  if (events.length <= limit) return events;
  const isOpen = limit === MAX_EVENTS;
  throw new UnreadableWebhook(
    `it has more than ${limit} events${isOpen ? "" : " and nothing proves its sender"}`,
  );
}

/** As a member of what is sent on. */
export function payloadOf({ payload }: ReadEvent): WrittenJson {
  return new WrittenJson(payload);
}
