import cors from "@fastify/cors";
import { pathsOf, type RouteDefinition } from "@jackfield/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { systemClock } from "../clock.ts";
import { findDatabaseAway } from "../db/index.ts";
import { AppError } from "../errors.ts";
import { presentError } from "./answers/present-error.ts";
import { toRawAnswer } from "./answers/raw-answers.ts";
import { toRpcError } from "./answers/rpc-error.ts";
import { createRepeatedRefusals, pathOf, type Refusal } from "./callers/repeated-refusals.ts";
import { callerDeadlines, closeStillCallers, toNodeDeadlines } from "./callers/slow-callers.ts";
import { corsOptions } from "./cors.ts";
import { requireOwnHost } from "./hosts/require-own-host.ts";
import type { HttpServerOptions } from "./http-server-options.ts";
import { closeAfterAnswers } from "./leaving.ts";
import { putInFront } from "./put-in-front.ts";
import { addRoute, readJsonBodies, webDavMethods } from "./routes/add-route.ts";
import { noteUnknownOutcome } from "./routes/idempotency.ts";
import { parseQuery } from "./routes/parse-query.ts";
import { requireCleanRequest } from "./routes/require-clean-request.ts";
import { unknownRoute } from "./routes/unknown-route.ts";

/** The HTTP side: routes of the contract, validation, one error body. Not listening yet. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const deadlines = toNodeDeadlines(options.deadlines ?? callerDeadlines);
  const app = fastify({
    logger: false,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    bodyLimit: options.bodyLimitBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    // What still comes while it closes is answered as always, and its connection closed.
    return503OnClosing: false,
    ...deadlines,
    http: { ...deadlines.http, shouldUpgradeCallback: options.takesUpgrade ?? (() => false) },
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
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(toRawAnswer(error));
    },
  });
  for (const method of webDavMethods) app.addHttpMethod(method, { hasBody: true });
  closeStillCallers(app.server, options.deadlines ?? callerDeadlines);
  if (options.leaving !== undefined) closeAfterAnswers(app.server, options.leaving);
  const refusals = createRepeatedRefusals(options.clock ?? systemClock);
  putInFront(app, refusals.inFront);
  await app.register(cors, corsOptions(options.aliases));
  const routes = options.routes.map(({ route }) => route);
  app.addHook("onRequest", async (request) => {
    options.aliases?.renameRequest(request);
    const { definition } = request.routeOptions.config;
    requireCleanRequest(request, definition?.proxied === true);
    if (options.proxyHost !== undefined) requireOwnHost(request, definition, options.proxyHost);
  });
  options.inProgress?.watch(app);
  options.requestLog?.watch(app.server);
  app.setErrorHandler((error, request, reply) => {
    const refusal = answerError(options, error, request, reply);
    if (error instanceof AppError && error.repeats && refusal !== undefined) {
      refusals.keep(pathOf(request.url), refusal);
    }
    return reply;
  });
  app.setNotFoundHandler((request) => {
    throw unknownRoute(routes, { method: request.method, path: pathOf(request.url) });
  });
  const bodies = readJsonBodies(app, options);
  for (const served of options.routes) await addRoute(app, options, served, bodies);
  return app;
}

function answerError(
  options: HttpServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal | undefined {
  const requestId = options.requestLog?.idOf(request.raw);
  const errorId = requestId ?? options.newErrorId();
  const route = routeOf(options, request);
  const { aliases } = options;
  const { status, headers, body, unexpected } = presentError(error, {
    errorId,
    route,
    settings: options,
  });
  if (unexpected) {
    const { method } = request;
    options.log.error("request.failed", { errorId, method, error });
    const at = (options.clock ?? systemClock).now();
    options.failures?.add({ id: errorId, method, route: route?.path, at });
  }
  if (findDatabaseAway(error) !== undefined) noteAway(options, error, request);
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return undefined;
  }
  // The framework would close the connection of a body that is not read, and the answer would be lost with it.
  if (!request.raw.complete) reply.removeHeader("connection");
  const source = route?.proxied === true ? { "Svc-Error-Source": "platform" } : {};
  const reported = aliases === undefined ? body : { error: aliases.widenError(body.error) };
  const extras = route?.messageNextToError === true ? { message: body.error["message"] } : {};
  const answer = route?.jsonRpc === true ? toRpcError(status, reported, request) : reported;
  const refusal = {
    status,
    headers: {
      ...headers,
      ...source,
      // By it the request is found in the operator's log and in the audit log.
      ...(requestId === undefined ? {} : { "svc-request-id": requestId }),
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({ ...extras, ...answer }),
  };
  reply.status(status).headers(refusal.headers).send(refusal.body);
  return refusal;
}

function noteAway({ log }: HttpServerOptions, error: unknown, request: FastifyRequest): void {
  noteUnknownOutcome(request);
  log.warn("request.database_away", { method: request.method, error });
}

/** The route that a request was for, also where its address could not be read. */
function routeOf(
  { routes }: HttpServerOptions,
  request: FastifyRequest,
): RouteDefinition | undefined {
  const found = request.routeOptions?.config?.definition;
  if (found !== undefined) return found;
  const path = pathOf(request.raw.url ?? "").toLowerCase();
  return routes.find(
    ({ route }) =>
      route.proxied === true &&
      pathsOf(route).some((known) => path.startsWith(known.path.replace(/\{.*/s, ""))),
  )?.route;
}
