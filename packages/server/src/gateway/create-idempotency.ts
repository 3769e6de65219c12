import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";
import { parseAuthorization } from "#environments";
import {
  AppError,
  addMs,
  DAY,
  type Logger,
  reasonOf,
  SECOND,
  type SystemContext,
} from "#foundation";
import {
  digestOfBody,
  type Idempotency,
  type IdempotencyLease,
  type RecordedAnswer,
} from "#foundation/http";
import { AnswerSeal } from "./answer-seal.ts";
import {
  type AnswerKey,
  deleteLease,
  findIdempotencyRecord,
  type IdempotencyRecord,
  LEASE_SECONDS,
  noteEffect,
  renewLease,
  storeAnswer,
  takeLease,
} from "./store.ts";

const RECORD_MS = DAY;

interface KeyedRequest {
  readonly key: AnswerKey;
  readonly seal: AnswerSeal;
  readonly requestHash: Buffer;
  readonly route: RouteDefinition;
}

type Begun = Awaited<ReturnType<Idempotency["begin"]>>;

/**
 * Answers by Idempotency-Key, for 24 hours and per API key: the first request runs, the same one again gets
 * its answer, another one 422, and 409 while the first runs. Requests of connect sessions are not recorded.
 */
export function createIdempotency(): Idempotency {
  return {
    async begin(ctx, { request, route }) {
      if (ctx.actor.kind !== "key") return undefined;
      return await begin(ctx, identify(request, route, ctx.actor.keyId));
    },
  };
}

function identify(request: FastifyRequest, route: RouteDefinition, apiKeyId: string): KeyedRequest {
  const idempotencyKey = String(request.headers["idempotency-key"]);
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new AppError("invalid_idempotency_key", undefined, {
      details: [{ code: "custom", message: "is not valid", path: ["idempotency-key"] }],
    });
  }
  const seal = new AnswerSeal(parseAuthorization(request.headers.authorization));
  const headers = Object.keys(route.headers?.shape ?? {}).map((name) => [
    name,
    request.headers[name],
  ]);
  return {
    key: { apiKeyId, keyHash: seal.hash("key", [idempotencyKey]) },
    seal,
    route,
    requestHash: seal.hash("request", [
      request.method,
      request.url,
      JSON.stringify(headers),
      // Large bodies are compared byte by byte: to write them once more would hold up the process.
      digestOfBody(request) ?? JSON.stringify(request.body ?? null),
    ]),
  };
}

// Between the failed insert and the read the first request may have released the key; then it is free again.
const TRIES = 3;

async function begin(ctx: SystemContext, keyed: KeyedRequest): Promise<Begun> {
  const { key, requestHash, route } = keyed;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const now = ctx.clock.now();
    const fence = await takeLease(ctx.db, key, {
      requestHash,
      expiresAt: addMs(now, RECORD_MS),
      now,
      mayRepeat: route.idempotent !== "once",
    });
    if (fence !== undefined) return { kind: "lease", lease: openLease(ctx, keyed, fence) };
    const record = await findIdempotencyRecord(ctx.db, key);
    if (record !== undefined) return { kind: "answer", answer: answerOf(keyed, record) };
  }
  throw stillRunning();
}

function answerOf(
  { key, seal, requestHash, route }: KeyedRequest,
  record: IdempotencyRecord,
): RecordedAnswer {
  if (!record.requestHash.equals(requestHash)) {
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request within 24 hours; send a new key for a new request.",
    );
  }
  if (record.answer !== undefined) return seal.open(key.keyHash, record.answer);
  if (record.isAbandoned && route.idempotent === "once")
    throw new AppError("action_outcome_unknown");
  throw stillRunning();
}

function stillRunning(): AppError {
  return new AppError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running; ask again for its answer.",
    { headers: { "Retry-After": "1" } },
  );
}

function openLease(
  ctx: SystemContext,
  { key, seal, route }: KeyedRequest,
  fence: string,
): IdempotencyLease {
  const isOnce = route.idempotent === "once";
  const renewal = setInterval(
    () => void logFailure(ctx.log, renewLease(ctx.db, key, fence)),
    (LEASE_SECONDS * SECOND) / 3,
  );
  renewal.unref();
  let noted: Promise<void> | undefined;
  // The answer is sent even when it cannot be recorded: its effects have happened.
  return {
    async noteEffect() {
      noted ??= note(ctx, key, fence);
      await noted;
    },
    async record(answer) {
      const sealed = seal.seal(key.keyHash, answer);
      await logFailure(ctx.log, storeAnswer(ctx.db, key, { fence, answer: sealed }));
      clearInterval(renewal);
    },
    async release() {
      await logFailure(ctx.log, deleteLease(ctx.db, key, fence));
      clearInterval(renewal);
    },
    async abandon() {
      clearInterval(renewal);
      if (noted === undefined || !isOnce)
        await logFailure(ctx.log, deleteLease(ctx.db, key, fence));
    },
  };
}

// A request that lost its lease to another process may have no further effects.
async function note(ctx: SystemContext, key: AnswerKey, fence: string): Promise<void> {
  if (await noteEffect(ctx.db, key, fence)) return;
  throw new AppError(
    "idempotency_in_progress",
    "The request has been taken over by another process.",
  );
}

async function logFailure(log: Logger, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error("idempotency.not_stored", { reason: reasonOf(error) });
  }
}
