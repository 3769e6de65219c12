import { type Deprecation, pathsOf, type RouteDefinition } from "@jackfield/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { InstallationContext } from "../context.ts";
import { AppError } from "../errors.ts";
import { toDeprecationHeaders } from "./deprecation-headers.ts";
import { describeJsonFault } from "./describe-json-fault.ts";
import type { AnyHandler, HttpServerOptions } from "./http-server.ts";
import { requireStorableJson } from "./json-body.ts";
import { endTurn, holdTurn, isKeyed, replay } from "./kept-answers.ts";
import { parseQuery } from "./parse-query.ts";
import { callerDeadlines, requireBodyInTime } from "./slow-callers.ts";
import { parseRequest } from "./validation.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route of the contract that answers. */
    readonly definition?: RouteDefinition;
  }
}

// OPTIONS is the preflight's.
const anyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/** Serves a route of the contract at each of its paths. */
export async function addRoute(
  app: FastifyInstance,
  options: HttpServerOptions,
  { route, handler }: { route: RouteDefinition; handler: AnyHandler },
): Promise<void> {
  for (const { path, deprecated } of pathsOf(route)) {
    for (const url of toUrls(path)) {
      await app.register(async (scope) => {
        if (route.method === "ANY") passBodiesThrough(scope);
        if (route.form === true) readFormBodies(scope);
        scope.route({
          method: route.method === "ANY" ? [...(route.methods ?? anyMethod)] : [route.method],
          url,
          config: { definition: route },
          onRequest: async (request, reply) => {
            announceEnd(reply, deprecated, request.params);
            if (route.raw !== true || route.wholeBody === true) {
              requireBodyInTime(request.raw, reply.raw, options.deadlines ?? callerDeadlines);
            }
            const signal = signalOf(request, reply, route, options);
            contexts.set(request, await options.authorize(request, route, signal, reply));
          },
          onSend: async (request, reply, payload) => {
            await endTurn(request, reply, payload);
            return payload;
          },
          handler: async (request, reply) =>
            await answer(options, { request, reply, route, handler }),
        });
      });
    }
  }
}

const contexts = new WeakMap<FastifyRequest, InstallationContext>();

/** The framework's spelling of a path; one that takes the rest takes an empty rest too. */
function toUrls(path: string): string[] {
  const url = path.replace(/\{\w+\+\}/g, "*").replace(/\{(\w+)\}/g, ":$1");
  return url.endsWith("/*") ? [url, url.slice(0, -2)] : [url];
}

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: RouteDefinition;
  readonly handler: AnyHandler;
}

async function answer(
  options: HttpServerOptions,
  { request, reply, route, handler }: Call,
): Promise<unknown> {
  let ctx = contexts.get(request);
  if (ctx === undefined) throw new Error("the request was not authorised");
  if (options.keptAnswers !== undefined && isKeyed(request, route)) {
    const begun = await options.keptAnswers.begin(ctx, { request, route });
    if (begun?.kind === "answer") return await replay(reply, begun.answer);
    if (begun?.kind === "turn") {
      const { turn } = begun;
      holdTurn(request, turn);
      if (route.idempotent === "once")
        ctx = { ...ctx, noteEffect: async () => await turn.noteEffect() };
    }
  }
  const input = parseRequest(route, request);
  const body = await Reflect.apply(handler, undefined, [ctx, input, { request, reply }]);
  if (route.raw) return reply;
  return await reply.status(route.success.status).send(body);
}

function announceEnd(
  reply: FastifyReply,
  deprecated: Deprecation | undefined,
  params: unknown,
): void {
  if (deprecated === undefined) return;
  reply.headers(toDeprecationHeaders(deprecated, Object(params)));
}

/** Raw bodies stay a stream: neither parsed nor counted (decisions 25 to 28). */
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
  { keptAnswers }: HttpServerOptions,
): AbortSignal {
  const controller = new AbortController();
  if (keptAnswers !== undefined && isKeyed(request, route)) return controller.signal;
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Bodies are JSON in UTF-8, checked before they are parsed; anything else is 415. */
export function readJsonBodies(app: FastifyInstance, options: HttpServerOptions): void {
  const parse = app.getDefaultJsonParser("error", "ignore");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => {
    done(new AppError("invalid_content_type"));
  });
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        requireReadable(request);
        if (bytes.length === 0 && request.routeOptions.config.definition?.body === undefined) {
          done(null, undefined);
          return;
        }
        requireStorableJson(bytes);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      const text = bytes.toString();
      void parse(request, text, (error, body) => {
        if (error === null) done(null, options.aliases?.renameBody(body) ?? body);
        else done(new AppError("invalid_json", describeJsonFault(text), { cause: error }));
      });
    },
  );
}

function requireReadable({ headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new AppError(
      "invalid_content_type",
      `Bodies are not taken with Content-Encoding: ${encoding}; send plain JSON.`,
    );
  }
  const [, charset = "utf-8"] = /charset="?([^";\s]+)/i.exec(headers["content-type"] ?? "") ?? [];
  if (/^utf-?8$/i.test(charset)) return;
  throw new AppError(
    "invalid_content_type",
    `Bodies are not taken in ${charset}; send JSON in UTF-8.`,
  );
}
