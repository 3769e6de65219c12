import { Readable } from "node:stream";
import {
  type Deprecation,
  pathsOf,
  type RouteDefinition,
  resolveSynonyms,
  type Synonyms,
} from "@jackfield/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { createJsonBodies, discardRest, type JsonBodies, requireRoom } from "../../bodies/index.ts";
import { catchUpCaches } from "../../cache/index.ts";
import type { EnvironmentContext, SystemContext } from "../../context.ts";
import { findDatabaseAway, guardedDb } from "../../db/index.ts";
import { AppError } from "../../errors.ts";
import { withinSpan } from "../../instruments/index.ts";
import { type FieldErrorCode, invalidFields, parseValues } from "../../validation/index.ts";
import { toDeprecationHeaders } from "../answers/deprecation-headers.ts";
import { textOfPaged } from "../answers/paged-answers.ts";
import { textOfShared } from "../answers/shared-answers.ts";
import { tagAnswer } from "../answers/tagged-answers.ts";
import { callerDeadlines, hasBody, requireBodyInTime } from "../callers/slow-callers.ts";
import type { HttpServerOptions } from "../http-server-options.ts";
import type { RawExchange } from "./handlers.ts";
import { endLease, holdLease, isKeyed, replay } from "./idempotency.ts";
import { parseQuery } from "./parse-query.ts";
import type { ServedRoute } from "./served-route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route of the contract that answers. */
    readonly definition?: RouteDefinition;
  }
}

/** Reads with a body, which calendars, address books and file stores speak; the framework does not know them. */
export const webDavMethods = ["PROPFIND", "REPORT"];

// OPTIONS is the preflight's.
const anyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
// A browser's preflight is answered before; any other OPTIONS is a call to the provider.
const proxiedMethod = [...anyMethod, "OPTIONS", ...webDavMethods];

function methodsOf({ method, methods, proxied }: RouteDefinition): string[] {
  if (method !== "ANY") return [method];
  return [...(methods ?? (proxied === true ? proxiedMethod : anyMethod))];
}

/** Serves a route of the contract at each of its paths. */
export async function addRoute(
  app: FastifyInstance,
  options: HttpServerOptions,
  served: ServedRoute,
  bodies: JsonBodies,
): Promise<void> {
  const { route } = served;
  const room = bodies.roomOf(route);
  const reader = (request: FastifyRequest) => async () => {
    if (room === undefined) throw new Error("this route passes bodies on");
    return await bodies.read(request, room, callerOf(request));
  };
  for (const { path, deprecated } of pathsOf(route)) {
    for (const url of toUrls(path)) {
      await app.register(async (scope) => {
        if (route.method === "ANY") passBodiesThrough(scope);
        if (route.form === true) readFormBodies(scope);
        scope.route({
          method: methodsOf(route),
          url,
          config: { definition: route },
          // For forms, which the framework reads.
          ...(room === undefined ? {} : { bodyLimit: room.bytes }),
          onRequest: async (request, reply) => {
            announceEnd(reply, deprecated, request.params);
            if (room !== undefined && hasBody(request.raw)) {
              requireBodyInTime(request.raw, reply.raw, options.deadlines ?? callerDeadlines);
              discardRest(request.raw, reply.raw);
            }
            const signal = signalOf(request, reply, route, options);
            contexts.set(request, await options.authorize(request, route, signal, reply));
            if (room !== undefined) requireRoom(request.raw, room);
          },
          onSend: async (request, reply, payload) => {
            await endLease(request, reply, payload);
            const ctx = contexts.get(request);
            if (ctx === undefined) return payload;
            return await tagAnswer(ctx, { request, reply, route }, payload);
          },
          handler: async (request, reply) => {
            const exchange = { request, reply, readJson: reader(request) };
            const work = async () => await answer(options, served, exchange);
            const trace = contexts.get(request)?.trace;
            return trace === undefined ? await work() : await withinSpan(trace, work);
          },
        });
      });
    }
  }
}

// Kept with its key: one request.
const contexts = new WeakMap<FastifyRequest, SystemContext | EnvironmentContext>();

/** The framework's spelling of a path; one that takes the rest takes an empty rest too. */
function toUrls(path: string): string[] {
  const url = path.replace(/\{\w+\+\}/g, "*").replace(/\{(\w+)\}/g, ":$1");
  return url.endsWith("/*") ? [url, url.slice(0, -2)] : [url];
}

async function answer(
  options: HttpServerOptions,
  served: ServedRoute,
  exchange: RawExchange,
): Promise<unknown> {
  const { route } = served;
  const { request, reply } = exchange;
  let ctx = contexts.get(request);
  if (ctx === undefined) throw new Error("the request was not authorized");
  if (options.idempotency !== undefined && isKeyed(request, route)) {
    const begun = await options.idempotency.begin(ctx, { request, route });
    if (begun?.kind === "answer") return await replay(reply, begun.answer);
    if (begun?.kind === "lease") {
      const { lease } = begun;
      holdLease(request, lease);
      if (route.idempotent === "once")
        ctx = { ...ctx, noteEffect: async () => await lease.noteEffect() };
    }
  }
  const input = parseRequest(route, request);
  const note = options.audit?.begin(ctx, { name: served.name, route, input });
  if (note !== undefined) ctx = { ...ctx, atCommit: note, db: guardedDb(ctx.db, note) };
  const answering = ctx;
  const body = await thenCatchUp(ctx, route, async () => {
    const body = await served.answer(answering, input, exchange);
    await note?.finish();
    return body;
  });
  if (route.raw) return reply;
  if (route.noStore === true) reply.header("cache-control", "no-store");
  reply.status(route.success.status);
  const pages = textOfPaged(body);
  if (pages !== undefined) {
    reply.type("application/json; charset=utf-8");
    return await reply.send(Readable.from(pages, { objectMode: false }));
  }
  const text = textOfShared(body);
  if (text === undefined) return await reply.send(body);
  return await reply.type("application/json; charset=utf-8").send(text);
}

/** What a call has changed this process acts by afterwards, also where the call failed in the end. */
async function thenCatchUp<T>(
  ctx: SystemContext | EnvironmentContext,
  route: RouteDefinition,
  work: () => Promise<T>,
): Promise<T> {
  if (!changesRows(route)) return await work();
  let failure: unknown;
  try {
    return await work();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // While the database is away, what is remembered is all there is.
    if (findDatabaseAway(failure) === undefined) await catchUpCaches(ctx);
  }
}

/** After such an answer this process acts by what its caller has changed; others follow within a second. */
function changesRows({ method, leavesCaches }: RouteDefinition): boolean {
  return method !== "GET" && method !== "ANY" && leavesCaches !== true;
}

function announceEnd(
  reply: FastifyReply,
  deprecated: Deprecation | undefined,
  params: unknown,
): void {
  if (deprecated === undefined) return;
  reply.headers(toDeprecationHeaders(deprecated, Object(params)));
}

/** Raw bodies stay a stream, neither parsed nor counted: a provider gets them byte for byte, however long. */
function passBodiesThrough(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/** What an HTML page posts. */
function readFormBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => {
    done(new AppError("invalid_content_type", "Send the body as an HTML form does."));
  });
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, text, done) => done(null, parseQuery(String(text))),
  );
}

/** Aborted when the caller goes away, unless the answer is kept for when it comes again. */
function signalOf(
  request: FastifyRequest,
  reply: FastifyReply,
  route: RouteDefinition,
  { idempotency }: HttpServerOptions,
): AbortSignal {
  const controller = new AbortController();
  if (idempotency !== undefined && isKeyed(request, route)) return controller.signal;
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Bodies are JSON in UTF-8, checked before they are parsed; anything else is 415. */
export function readJsonBodies(app: FastifyInstance, options: HttpServerOptions): JsonBodies {
  const parse = app.getDefaultJsonParser("error", "ignore");
  const bodies = createJsonBodies(options, (text, request) => parseText(parse, text, request));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => {
    done(new AppError("invalid_content_type"));
  });
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    const { definition } = request.routeOptions.config;
    const room = definition === undefined ? undefined : bodies.roomOf(definition);
    // Where there is no route, nobody needs the body.
    if (room === undefined) return undefined;
    // An empty one is none: browsers' clients name the type of a body that they do not send.
    const body = await bodies.read(request, room, callerOf(request));
    return options.aliases?.renameBody(body) ?? body;
  });
  return bodies;
}

/** Who shares the memory for large bodies. */
function callerOf(request: FastifyRequest): string {
  const ctx = contexts.get(request);
  return ctx !== undefined && "environment" in ctx ? ctx.environment.id : "installation";
}

/** The framework's parser, which ends before it returns. */
function parseText(
  parse: ReturnType<FastifyInstance["getDefaultJsonParser"]>,
  text: string,
  request: FastifyRequest,
): unknown {
  let outcome: { error: Error | null; body?: unknown } | undefined;
  void parse(request, text, (error, body) => {
    outcome = { error, body };
  });
  if (outcome === undefined || outcome.error !== null) throw outcome?.error ?? new Error("unread");
  return outcome.body;
}

const noQuery = z.strictObject({});

/** Checks query, body, path and headers against the route, in that order. */
function parseRequest(route: RouteDefinition, request: FastifyRequest): object {
  const raw = route.raw === true;
  return {
    query:
      raw && route.query === undefined
        ? request.query
        : parseValues(
            route.query ?? noQuery,
            spelled(request.query, route.synonyms?.query, "invalid_query_params"),
            { code: "invalid_query_params" },
          ),
    body:
      route.body === undefined
        ? undefined
        : parseValues(route.body, spelled(bodyOf(request), route.synonyms?.body, "invalid_body"), {
            code: "invalid_body",
          }),
    params:
      route.params === undefined
        ? request.params
        : parseValues(route.params, request.params, { code: "invalid_uri_params" }),
    headers:
      route.headers === undefined
        ? undefined
        : parseValues(route.headers, request.headers, { code: "invalid_headers" }),
  };
}

/** No body is an empty one: what is missing in it is what the caller needs to know. */
function bodyOf({ body }: FastifyRequest): unknown {
  return body === undefined ? {} : body;
}

/** The values under the contract's own names. */
function spelled(values: unknown, synonyms: Synonyms | undefined, code: FieldErrorCode): unknown {
  if (synonyms === undefined) return values;
  const resolved = resolveSynonyms(values, synonyms);
  if (resolved.conflict === undefined) return resolved.values;
  const { name, synonym } = resolved.conflict;
  const message = `is the same as \`${name}\`, with another value; send one of the two`;
  throw invalidFields(code, [{ message, path: [synonym] }]);
}
