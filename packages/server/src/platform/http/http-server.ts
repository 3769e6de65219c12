import cors from "@fastify/cors";
import type { RouteDefinition } from "@jackfield/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import qs from "qs";
import type { EnvironmentContext, InstallationContext } from "../context.ts";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { presentError } from "./present-error.ts";
import { parseRequest } from "./validation.ts";

export type AnyHandler = (ctx: never, input: never, exchange: never) => Promise<unknown>;

export interface HttpServerOptions {
  readonly routes: Readonly<Record<string, RouteDefinition>>;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Proves who calls and returns the context for the route, or throws 401 or 403. */
  readonly authorize: (
    request: FastifyRequest,
    route: RouteDefinition,
    signal: AbortSignal,
  ) => Promise<InstallationContext | EnvironmentContext>;
  readonly bodyLimitBytes: number;
  readonly log: Logger;
  readonly newErrorId: () => string;
}

/** Header and body deadlines against slow clients, and idle time above that of common balancers. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 300_000, keepAliveTimeout: 72_000 };

/** The HTTP side: routes of the contract, validation, one error body. Not listening yet. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    requestTimeout: timeouts.requestTimeout,
    keepAliveTimeout: timeouts.keepAliveTimeout,
    http: { headersTimeout: timeouts.headersTimeout },
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      querystringParser: (text) => parseQuery(text),
      maxParamLength: 2048,
    },
    onConstructorPoisoning: "ignore",
    frameworkErrors: (error, request, reply) => {
      answerError(options, error, request, reply);
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(MALFORMED_REQUEST);
    },
  });
  await app.register(cors, corsOptions);
  app.setErrorHandler((error, request, reply) => {
    answerError(options, error, request, reply);
    return reply;
  });
  app.setNotFoundHandler((request) => {
    throw new AppError("not_found", `There is no ${request.method} ${pathOf(request.url)}.`);
  });
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("*", (_request, _payload, done) => {
    done(new AppError("invalid_content_type"));
  });
  for (const [name, route] of Object.entries(options.routes)) {
    const handler = options.handlers[name];
    if (handler === undefined) continue;
    await addRoute(app, options, route, handler);
  }
  return app;
}

/** Everything after the path is data of the request; nested keys are written `tags[a]=b`. */
function parseQuery(text: string): Record<string, unknown> {
  return qs.parse(text, { depth: 5, arrayLimit: 100, parameterLimit: 1000, plainObjects: false });
}

const corsOptions = {
  origin: true,
  methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  maxAge: 600,
  exposedHeaders: ["Content-Type", "Content-Length", "Etag", "Retry-After"],
};

const MALFORMED_BODY = JSON.stringify({
  error: { code: "invalid_request", message: "The request is not valid HTTP." },
});
const MALFORMED_REQUEST = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${MALFORMED_BODY.length}\r\n\r\n${MALFORMED_BODY}`;

const anyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

async function addRoute(
  app: FastifyInstance,
  options: HttpServerOptions,
  route: RouteDefinition,
  handler: AnyHandler,
): Promise<void> {
  const method = route.method === "ANY" ? anyMethod : [route.method];
  for (const path of [route.path, ...(route.aliases ?? [])]) {
    const url = path.replace(/\{\w+\+\}/g, "*").replace(/\{(\w+)\}/g, ":$1");
    await app.register(async (scope) => {
      if (route.method === "ANY") passBodiesThrough(scope);
      scope.route({
        method: route.method === "ANY" ? method.filter((verb) => verb !== "OPTIONS") : method,
        url,
        async onRequest(request, reply) {
          contexts.set(request, await options.authorize(request, route, closeSignal(reply)));
        },
        async handler(request, reply) {
          const ctx = contexts.get(request);
          const input = parseRequest(route, request);
          const body = await Reflect.apply(handler, undefined, [ctx, input, { request, reply }]);
          if (route.raw) return reply;
          return await reply.status(route.success.status).send(body);
        },
      });
    });
  }
}

const contexts = new WeakMap<FastifyRequest, InstallationContext>();

/** Raw bodies stay a stream: neither parsed nor counted (decisions 25 to 28). */
function passBodiesThrough(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

function closeSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function answerError(
  options: HttpServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const errorId = options.newErrorId();
  const { status, headers, body, unexpected } = presentError(error, errorId);
  if (unexpected) {
    options.log.error("request.failed", { errorId, method: request.method, error });
  }
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  reply
    .status(status)
    .headers(headers)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(body));
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
