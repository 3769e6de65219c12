import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SystemContext } from "../../context.ts";

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The exclusive right to run a request; others with the same key wait for its answer. */
export interface IdempotencyLease {
  record(answer: RecordedAnswer): Promise<void>;
  /** The request has had no effect, as far as anybody knows: it may run again. */
  release(): Promise<void>;
  /** How it ended is not known: it may run again unless it was about to change something outside. */
  abandon(): Promise<void>;
  /** Notes that the request is about to change something outside; rejects when another process has taken the lease over. */
  noteEffect(): Promise<void>;
}

/** Idempotency records by Idempotency-Key; the transport only asks. */
export interface Idempotency {
  /** The lease of a request, or its recorded answer; undefined where no key is sent. */
  begin(
    ctx: SystemContext,
    call: { readonly request: FastifyRequest; readonly route: RouteDefinition },
  ): Promise<
    | { kind: "lease"; lease: IdempotencyLease }
    | { kind: "answer"; answer: RecordedAnswer }
    | undefined
  >;
}

/** Whether the request has an idempotency key; such a request continues when its caller hangs up. */
export function isKeyed(request: FastifyRequest, route: RouteDefinition): boolean {
  return route.idempotent !== false && request.headers["idempotency-key"] !== undefined;
}

const recordedHeaders = ["content-type", "location", "retry-after"];

// Kept with its key: one request.
const leases = new WeakMap<FastifyRequest, IdempotencyLease>();

export function holdLease(request: FastifyRequest, lease: IdempotencyLease): void {
  leases.set(request, lease);
}

// Kept with its key: one request.
const outcomesUnknown = new WeakSet<FastifyRequest>();

/** The database left while the request was served: what it had done by then is not known. */
export function noteUnknownOutcome(request: FastifyRequest): void {
  outcomesUnknown.add(request);
}

/** Ends the lease of a request when its answer is known: recorded, or free for another try. */
export async function endLease(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const lease = leases.get(request);
  if (lease === undefined) return;
  leases.delete(request);
  if (outcomesUnknown.has(request)) return await lease.abandon();
  const isWhole =
    payload === undefined || typeof payload === "string" || payload instanceof Uint8Array;
  if (mayRunAgain(request, reply.statusCode) || !isWhole) return await lease.release();
  const headers = recordedHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  await lease.record({
    status: reply.statusCode,
    headers: Object.fromEntries(headers),
    body: Buffer.from(payload ?? ""),
  });
}

/** A failure of ours leaves nothing behind, except where effects outside cannot be taken back. */
function mayRunAgain(request: FastifyRequest, status: number): boolean {
  const isOnce = request.routeOptions.config.definition?.idempotent === "once";
  return isOnce ? status === 503 : status >= 500;
}

/** Sends a recorded answer again, marked as such. */
export async function replay(reply: FastifyReply, answer: RecordedAnswer): Promise<FastifyReply> {
  return await reply
    .status(answer.status)
    .headers({ ...answer.headers, "Idempotency-Replayed": "true" })
    .send(answer.body);
}
