import type { IncomingMessage, ServerResponse } from "node:http";
import type { agentOauthRoutes } from "@jackfield/contract";
import type { FastifyReply } from "fastify";
import { createConnectSession, createReconnectSession } from "#connect";
import { AppError, type EnvironmentContext, type SystemContext } from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { refuse } from "../sign-in/note-refusal.ts";
import { beginKnownProof, beginProof, finishOidcProof, requireProof } from "../sign-in/prove.ts";
import { enter, redirect } from "../sign-in/serve-page.ts";
import { endAuthorization, findAuthorization, findSignIn } from "../sign-in/store.ts";
import { findToolsetById } from "../toolsets/store.ts";
import { admitRequest, getAuthorizationServer, mayRegister } from "./authorization-server.ts";
import { hasAgreed, letIn, readRequest, toQuestion } from "./consent.ts";
import { consentPage, errorHtml } from "./pages.ts";
import { issuerOf, resourceOf, scopesOf } from "./resource.ts";

type Handlers = RouteHandlers<typeof agentOauthRoutes>;

export const agentOauthHandlers: Handlers = {
  getProtectedResource: async (ctx, { params }) => {
    const toolset = await findToolsetById(ctx.db, { id: params.toolset.toLowerCase() });
    const authorization = toolset?.settings.authorization;
    if (toolset === undefined || authorization === undefined) {
      throw new AppError("not_found", "No such toolset, or it takes only tokens of sessions.");
    }
    const issuer =
      authorization.mode === "external"
        ? authorization.issuer
        : issuerOf(ctx.settings, toolset.environmentId);
    return {
      resource: resourceOf(ctx.settings, toolset.id),
      authorization_servers: [issuer],
      scopes_supported: scopesOf(toolset),
      bearer_methods_supported: ["header"],
      resource_name: toolset.name,
    };
  },
  getAuthorizationServer: async (ctx, { params }, exchange) => {
    const inside = await enter(ctx, params.environmentId);
    // One that lets nobody in is as one that nobody has.
    const signIn = await findSignIn(inside.db, inside.environment.id);
    if (signIn === undefined) throw new AppError("unknown_environment");
    await pass(inside, exchange, "/.well-known/oauth-authorization-server");
  },
  speakOauth: async (ctx, _input, exchange) => {
    const id = String(Object(exchange.request.params).environmentId);
    if (!isUuid(id.toLowerCase())) throw new AppError("unknown_environment");
    const inside = await enter(ctx, id);
    admitRequest(inside);
    const { pathname } = new URL(exchange.request.url, "http://x");
    const path = pathname.slice(pathname.indexOf(id) + id.length);
    if (path === "/register" && !(await mayRegister(inside))) {
      throw new AppError("too_many_request", "Too many new clients; try again in a minute.", {
        headers: { "Retry-After": "60" },
      });
    }
    await pass(inside, exchange, path + withScopes(path, exchange.request.url));
  },
  showAgentConsent: async (ctx, { params, query }, exchange) => {
    await orPage(ctx, exchange, async () => {
      const inside = await enter(ctx, params.environmentId);
      await showConsent(inside, { uid: params.interaction, ticket: query.ticket }, exchange);
    });
  },
  decideAgentConsent: async (ctx, { params, body }, exchange) => {
    await orPage(ctx, exchange, async () => {
      const inside = await enter(ctx, params.environmentId);
      await decide(inside, { uid: params.interaction, ...body }, exchange);
    });
  },
  finishAgentSignIn: async (ctx, _input, exchange) => {
    await orPage(ctx, exchange, async () => {
      const { request, reply } = exchange;
      const [, query = ""] = request.url.split("?");
      const id = new URLSearchParams(query).get("state") ?? "";
      const found = isUuid(id) ? await findAuthorization(ctx.db, { id }) : undefined;
      if (found === undefined) throw new AppError("not_found", "This sign-in has expired.");
      const inside = await enter(ctx, found.environmentId);
      const { cookie: cookies } = request.headers;
      await redirect(reply, await finishOidcProof(inside, found, { query, cookies }));
    });
  },
  showAgentConnect: async (ctx, { params: { authorizationId: id }, query }, exchange) => {
    await orPage(ctx, exchange, async () => {
      const { request, reply } = exchange;
      const found = await findAuthorization(ctx.db, { id: id.toLowerCase() });
      if (found?.purpose !== "connect" || found.expiresAt <= ctx.clock.now()) {
        throw new AppError("not_found", "This link has expired; ask the agent for another one.");
      }
      const inside = await enter(ctx, found.environmentId);
      if (query.ticket === undefined) {
        const { location, cookie } = await beginKnownProof(inside, found.id);
        await redirect(reply.header("set-cookie", cookie), location);
        return;
      }
      const given = { ticket: query.ticket, cookies: request.headers.cookie };
      const { endUserId, integration, connectionId } = await requireProof(inside, found, given);
      if (
        !(await endAuthorization(inside.db, found.environmentId, { id: found.id, state: "done" }))
      ) {
        throw new AppError("not_found", "This link was used before.");
      }
      const connectLink = await beginConnecting(inside, { endUserId, integration, connectionId });
      await redirect(reply, connectLink);
    });
  },
};

/** A connect session as a backend makes it, for the proven end user: a new account, or an old one again. */
async function beginConnecting(
  ctx: EnvironmentContext,
  {
    endUserId,
    integration,
    connectionId,
  }: { endUserId: string; integration: string | null; connectionId: string | null },
): Promise<string> {
  if (integration !== null && connectionId !== null) {
    const name = { integrationKey: integration, connectionId };
    const again = await createReconnectSession(ctx, name, { settings: {}, defaults: {} });
    return again.connectLink;
  }
  const settings = {
    tags: { end_user_id: endUserId },
    ...(integration === null ? {} : { allowedIntegrations: [integration] }),
  };
  return (await createConnectSession(ctx, { settings, defaults: {} })).connectLink;
}

interface Given {
  readonly uid: string;
  readonly ticket: string | undefined;
}

/** First to where the user is known; then the page, or straight on where they have agreed before. */
async function showConsent(
  ctx: EnvironmentContext,
  { uid, ticket }: Given,
  exchange: RawExchange,
): Promise<void> {
  const { request, reply } = exchange;
  const { server, details } = await openInteraction(ctx, uid, exchange);
  const asked = await readRequest(ctx, server, details);
  if (ticket === undefined) {
    const { location, cookie } = await beginProof(ctx, uid);
    await redirect(reply.header("set-cookie", cookie), location);
    return;
  }
  const { id: environmentId } = ctx.environment;
  const found = await findAuthorization(ctx.db, { interaction: uid, environmentId });
  const cookies = request.headers.cookie;
  const { endUserId } = await requireProof(ctx, found, { ticket, cookies });
  const mustAsk = String(details.params["prompt"] ?? "").includes("consent");
  if (!mustAsk && (await hasAgreed(ctx, asked, endUserId))) {
    await decide(ctx, { uid, ticket, decision: "allow" }, exchange);
    return;
  }
  const action = `${issuerOf(ctx.settings, environmentId)}/interaction/${uid}`;
  const page = consentPage(await toQuestion(ctx, asked, { endUserId, action, ticket }));
  await reply.status(200).headers(page.headers).send(page.html);
}

async function decide(
  ctx: EnvironmentContext,
  { uid, ticket, decision }: Given & { ticket: string; decision: "allow" | "read" | "deny" },
  exchange: RawExchange,
): Promise<void> {
  const { request, reply } = exchange;
  const { server, details } = await openInteraction(ctx, uid, exchange);
  const asked = await readRequest(ctx, server, details);
  const { id: environmentId } = ctx.environment;
  const found = await findAuthorization(ctx.db, { interaction: uid, environmentId });
  const cookies = request.headers.cookie;
  const { endUserId, id } = await requireProof(ctx, found, { ticket, cookies });
  if (!(await endAuthorization(ctx.db, environmentId, { id, state: "done" }))) {
    throw new AppError("not_found", "This was decided before.");
  }
  const effects =
    decision === "read" ? asked.effects.filter((each) => each === "read") : asked.effects;
  const isDenied = decision === "deny" || effects.length === 0;
  const result = isDenied
    ? { error: "access_denied", error_description: "The end user did not allow it" }
    : await letIn(ctx, server, { asked, endUserId, effects });
  const { raw } = withCopiedHeaders(reply);
  const location = await server.interactionResult(request.raw, raw, result, {
    mergeWithLastSubmission: false,
  });
  await redirect(reply, location);
}

async function openInteraction(
  ctx: EnvironmentContext,
  uid: string,
  { request, reply }: RawExchange,
) {
  const server = await getAuthorizationServer(ctx);
  try {
    const details = await server.interactionDetails(request.raw, reply.raw);
    if (details.uid === uid) return { server, details };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "SessionNotFound") throw error;
  }
  throw refuse(ctx, {
    code: "not_found",
    message: "This request has expired, or was begun in another browser. Begin again from the app.",
  });
}

/** Hands the request to the authorization server, at an address below its issuer. */
async function pass(
  ctx: EnvironmentContext,
  { request, reply }: RawExchange,
  url: string,
): Promise<void> {
  const server = await getAuthorizationServer(ctx);
  const { raw } = withCopiedHeaders(reply);
  const message: IncomingMessage & { originalUrl?: string } = request.raw;
  const { pathname, host, protocol } = new URL(issuerOf(ctx.settings, ctx.environment.id));
  message.originalUrl = `${pathname}${url}`;
  message.url = url;
  // Its addresses are those of the server, by any name that the caller used for it.
  message.headers["x-forwarded-host"] = host;
  message.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  reply.hijack();
  await server.callback()(message, raw);
}

/** What the framework would send with the answer, such as headers of CORS, is sent with the library's. */
function withCopiedHeaders(reply: FastifyReply): { raw: ServerResponse } {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply;
}

const toolScopes = ["tools:read", "tools:write", "tools:destructive"];

/** The query, with all scopes of tools where none is asked for: clients may leave them out, or ask for others' ones. */
function withScopes(path: string, url: string): string {
  const [, query] = url.split("?");
  if (query === undefined) return "";
  if (path !== "/authorize") return `?${query}`;
  const asked = new URLSearchParams(query);
  const given = (asked.get("scope") ?? "").split(" ").filter((each) => toolScopes.includes(each));
  asked.set("scope", (given.length > 0 ? given : toolScopes).join(" "));
  return `?${asked}`;
}

/** A browser gets a page of what fails. */
async function orPage(
  ctx: SystemContext,
  { reply }: RawExchange,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : new AppError("server_error");
    if (error.status >= 500) ctx.log.error("agents.page_failed", { error: thrown });
    const html = errorHtml.write(error.code, error.message);
    await reply
      .status(error.status)
      .headers({ ...errorHtml.headers, ...error.headers })
      .send(html);
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
