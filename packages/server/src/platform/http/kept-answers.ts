import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { InstallationContext } from "../context.ts";

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Leave to run a request that others with the same key wait for. */
export interface Turn {
  keep(answer: KeptAnswer): Promise<void>;
  /** The request has had no effect, as far as anybody knows: it may run again. */
  release(): Promise<void>;
  /** How it ended is not known: it may run again unless it was about to change something outside. */
  abandon(): Promise<void>;
  /** Notes that the request is about to change something outside; rejects when the turn is no longer its own. */
  noteEffect(): Promise<void>;
}

/** Answers kept by Idempotency-Key; the transport only asks. */
export interface KeptAnswers {
  /** The turn of a request, or the answer that it was given before; undefined where no key is sent. */
  begin(
    ctx: InstallationContext,
    call: { readonly request: FastifyRequest; readonly route: RouteDefinition },
  ): Promise<{ kind: "turn"; turn: Turn } | { kind: "answer"; answer: KeptAnswer } | undefined>;
}

/** Whether the request asks that its answer be kept; such a one runs on when its caller goes away. */
export function isKeyed(request: FastifyRequest, route: RouteDefinition): boolean {
  return route.idempotent !== false && request.headers["idempotency-key"] !== undefined;
}

const keptHeaders = ["content-type", "location", "retry-after"];

const turns = new WeakMap<FastifyRequest, Turn>();

export function holdTurn(request: FastifyRequest, turn: Turn): void {
  turns.set(request, turn);
}

const outcomesUnknown = new WeakSet<FastifyRequest>();

/** The database left while the request was served: what it had done by then is not known. */
export function noteUnknownOutcome(request: FastifyRequest): void {
  outcomesUnknown.add(request);
}

/** Ends the turn of a request when its answer is known: kept, or free for another try. */
export async function endTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const turn = turns.get(request);
  if (turn === undefined) return;
  turns.delete(request);
  if (outcomesUnknown.has(request)) return await turn.abandon();
  const isWhole =
    payload === undefined || typeof payload === "string" || payload instanceof Uint8Array;
  if (mayRunAgain(request, reply.statusCode) || !isWhole) return await turn.release();
  const headers = keptHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  await turn.keep({
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

/** Sends a kept answer again, marked as such. */
export async function replay(reply: FastifyReply, answer: KeptAnswer): Promise<FastifyReply> {
  return await reply
    .status(answer.status)
    .headers({ ...answer.headers, "Idempotency-Replayed": "true" })
    .send(answer.body);
}
