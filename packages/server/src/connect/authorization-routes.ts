import type {
  connectFunnelRoutes,
  connectLinkRoutes,
  connectRoutes,
  manageRoutes,
} from "@jackfield/contract";
import { findState } from "#auth-modes";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { describeClient } from "./attempts/begin/client-metadata.ts";
import { connectFromOutside } from "./attempts/begin/connect-from-outside.ts";
import {
  connectWithCredentials,
  type MadeConnection,
} from "./attempts/begin/connect-with-credentials.ts";
import { type ConnectQuery, parseBrowserQuery } from "./attempts/begin/parse-connect-query.ts";
import { StartFailure, startAuthorization } from "./attempts/begin/start-authorization.ts";
import { toParameters } from "./attempts/finish/find-flow.ts";
import { finishAuthorization } from "./attempts/finish/finish-authorization.ts";
import { forwardPostedCallback } from "./attempts/finish/forward-posted-callback.ts";
import type { FinishedAuthorization } from "./ending.ts";
import { callbackScript } from "./page/callback-script.ts";
import { commonHeaders } from "./page/page-headers.ts";
import { choosePageTexts, type PageTexts } from "./page/page-texts.ts";
import { errorPage, type Page } from "./page/pages.ts";
import { presentEnding, toReturnAddress } from "./page/present-ending.ts";
import { notifyPopup } from "./popup-sockets/notify-popup.ts";

type AuthorizationRoutes = Omit<
  typeof connectRoutes,
  | `${string}Session`
  | `${string}Sessions`
  | "getConnectAccess"
  | "getConnectSessionResult"
  | "streamConnectSessionEvents"
  | "sendConnectTelemetry"
  | "showConnectPage"
  | "showManagePage"
  | "getConnectPageAsset"
  | keyof typeof connectFunnelRoutes
  | keyof typeof connectLinkRoutes
  | keyof typeof manageRoutes
>;

export const authorizationHandlers = {
  connectWithClientCredentials: takeForm,
  connectWithApiKey: takeForm,
  connectWithBasic: takeForm,
  connectWithTokens: takeForm,
  connectWithJwt: takeForm,
  connectWithTwoSteps: takeForm,
  connectWithSignature: takeForm,
  connectWithBill: takeForm,
  connectWithAwsRole: takeForm,
  connectWithNothing: takeForm,
  connectFromOutside: async (ctx, { params, query }) =>
    await connectFromOutside(ctx, { integrationKey: params.providerConfigKey, query }),
  startAuthorization: async (ctx, { params }, exchange) => {
    const { request, reply } = exchange;
    const integrationKey = params.providerConfigKey;
    const elsewhere = findOwnName(ctx, request);
    if (elsewhere !== undefined) {
      const headers = { ...commonHeaders, location: elsewhere, "cache-control": "no-store" };
      await reply.status(307).headers(headers).send();
      return;
    }
    await orErrorPage(ctx, exchange, async () => {
      const { location, cookie } = await orNotifiedPopup(
        ctx,
        { integrationKey, request },
        async () => {
          const query = parseBrowserQuery(request.query);
          return await startAuthorization(ctx, { integrationKey, query });
        },
      );
      await reply
        .status(302)
        .headers({ ...commonHeaders, location, "set-cookie": cookie, "cache-control": "no-store" })
        .send();
    });
  },
  finishAuthorization: async (ctx, _input, exchange) => {
    await orErrorPage(ctx, exchange, async () => await finish(ctx, exchange, 400));
  },
  finishInstallation: async (ctx, _input, exchange) => {
    const parameters = toParameters(exchange.request.query);
    const problem = findInstallationProblem(parameters);
    if (problem !== undefined) {
      await sendPage(
        exchange,
        errorPage({ status: 400, ...problem }, { texts: textsOf(exchange) }),
      );
      return;
    }
    await orErrorPage(ctx, exchange, async () => await finish(ctx, exchange, 404));
  },
  forwardPostedCallback: async (ctx, _input, exchange) => {
    const { request, reply } = exchange;
    await orErrorPage(ctx, exchange, async () => {
      const location = await forwardPostedCallback(ctx, request.body);
      await reply
        .status(303)
        .headers({ ...commonHeaders, location, "cache-control": "no-store" })
        .send();
    });
  },
  getCallbackScript: async (_ctx, _input, { reply }) => {
    await reply
      .headers({
        ...commonHeaders,
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=300",
      })
      .send(callbackScript);
  },
  getClientMetadata: async (ctx, { params }, { reply }) => {
    const { environmentId, providerConfigKey: integrationKey } = params;
    const document = await describeClient(ctx, { environmentId, integrationKey });
    await reply.header("cache-control", "public, max-age=300").send(document);
  },
} satisfies RouteHandlers<AuthorizationRoutes>;

/**
 * This address under the server's own name, where a browser of this machine came by another one: the provider sends it
 * back there, and the cookie that binds the attempt has to be known then.
 */
function findOwnName(
  { settings }: SystemContext,
  { headers, url }: RawExchange["request"],
): string | undefined {
  const own = new URL(settings.serverUrl);
  const came = URL.parse(`http://${headers.host ?? ""}`);
  const isLoopback = (host: string | undefined) => loopbackNames.has(host ?? "");
  if (came === null || came.host === own.host || came.port !== own.port) return undefined;
  if (!isLoopback(came.hostname) || !isLoopback(own.hostname)) return undefined;
  return `${own.origin}${url}`;
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Every form says of which type its credentials are. */
async function takeForm(
  ctx: SystemContext,
  input: {
    readonly params: { readonly providerConfigKey: string };
    readonly query: ConnectQuery;
    readonly body: { readonly type: string };
  },
): Promise<MadeConnection> {
  const { params, query, body } = input;
  const integrationKey = params.providerConfigKey;
  return await connectWithCredentials(ctx, { integrationKey, query, given: { ...body } });
}

async function finish(
  ctx: SystemContext,
  exchange: RawExchange,
  staleStatus: number,
): Promise<void> {
  const { request, reply } = exchange;
  const callback = { query: request.query, cookieHeader: request.headers.cookie };
  const ending = await finishAuthorization(ctx, callback);
  if (ending.cookie !== undefined) reply.header("set-cookie", ending.cookie);
  const { returnUrl, openerOrigin } = ending;
  if (returnUrl !== undefined && openerOrigin === undefined) {
    const location = toReturnAddress(returnUrl, ending);
    await reply
      .status(303)
      .headers({ ...commonHeaders, location, "cache-control": "no-store" })
      .send();
    return;
  }
  const status = ending.error?.type === "state_err" ? staleStatus : 400;
  await sendPage(
    exchange,
    presentEnding(ctx, ending, { status, acceptLanguage: request.headers["accept-language"] }),
  );
}

/** What fails before the session is known reaches the client that opened the popup, too. */
async function orNotifiedPopup<Result>(
  ctx: SystemContext,
  { integrationKey, request }: { integrationKey: string; request: RawExchange["request"] },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const clientId: unknown = Object(request.query)["ws_client_id"];
    if (thrown instanceof AppError && typeof clientId === "string") {
      const error = { type: thrown.code, message: thrown.message };
      await withTransaction(ctx, async (ctx) => {
        await notifyPopup(ctx, clientId, { error, providerConfigKey: integrationKey });
      });
    }
    throw thrown;
  }
}

/** Of an installation that never was, or waits for its owner. */
function findInstallationProblem(
  parameters: Readonly<Record<string, string>>,
): FinishedAuthorization["error"] {
  if (parameters["setup_action"] === "request") {
    return {
      type: "wrong_auth_mode",
      message: "The installation was only asked for. Begin again when an owner has approved it.",
    };
  }
  const isWhole = parameters["installation_id"] && findState(parameters);
  if (isWhole) return undefined;
  const message = "The provider sent the browser back without an installation. Begin again.";
  return { type: "invalid_callback", message };
}

/** People get a page; programs, which do not ask for HTML, get the standard error body. */
async function orErrorPage(
  ctx: SystemContext,
  exchange: RawExchange,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const isFailure = thrown instanceof StartFailure;
    if (!(exchange.request.headers.accept ?? "").includes("text/html")) {
      throw isFailure ? thrown.cause : thrown;
    }
    if (isFailure) {
      const acceptLanguage = exchange.request.headers["accept-language"];
      const { status } = thrown;
      await sendPage(exchange, presentEnding(ctx, thrown, { status, acceptLanguage }));
      return;
    }
    const known = thrown instanceof AppError ? thrown : new AppError("server_error");
    if (known.status >= 500) ctx.log.error("connect.page_failed", { error: thrown });
    const { status, code: type, message } = known;
    const page = errorPage({ status, type, message }, { texts: textsOf(exchange) });
    await sendPage(exchange, { ...page, headers: { ...page.headers, ...known.headers } });
  }
}

function textsOf({ request }: RawExchange): PageTexts {
  return choosePageTexts(request.headers["accept-language"]);
}

async function sendPage({ reply }: RawExchange, page: Page): Promise<void> {
  await reply.status(page.status).headers(page.headers).send(page.html);
}
