import type { connectRoutes } from "@jackfield/contract";
import { AppError, type InstallationContext } from "#platform";
import type { RawExchange, RouteHandlers } from "#platform/http";
import { createSession } from "./create-session.ts";
import { finishAuthorization } from "./finish-authorization.ts";
import { getSessionResult } from "./get-session-result.ts";
import { errorPage, type Page, successPage } from "./pages.ts";
import { startAuthorization } from "./start-authorization.ts";

export const connectHandlers = {
  createConnectSession: async (ctx, { body }) => {
    const defaults = Object.entries(body.integrations_config_defaults ?? {}).map(
      ([key, values]) =>
        [
          key,
          {
            userScopes: values.user_scopes,
            authorizationParams: values.authorization_params,
            connectionConfig: values.connection_config,
          },
        ] as const,
    );
    const session = await createSession(ctx, {
      tags: body.tags,
      allowedIntegrations: body.allowed_integrations,
      defaults: Object.fromEntries(defaults),
      webhookUrlOverride: body.webhook_url_override,
    });
    const { token, connectLink, expiresAt } = session;
    return { data: { token, connect_link: connectLink, expires_at: expiresAt.toISOString() } };
  },
  getConnectSessionResult: async (ctx) => {
    const { state, connectionId, integrationKey, error } = await getSessionResult(ctx);
    return {
      data: {
        state,
        ...(connectionId === undefined ? {} : { connection_id: connectionId }),
        ...(integrationKey === undefined ? {} : { provider_config_key: integrationKey }),
        ...(error === undefined ? {} : { error }),
      },
    };
  },
  startAuthorization: async (ctx, { params }, exchange) => {
    const { request, reply } = exchange;
    await orErrorPage(ctx, exchange, async () => {
      const { location, cookie } = await startAuthorization(ctx, {
        integrationKey: params.providerConfigKey,
        query: request.query,
      });
      await reply
        .status(302)
        .header("location", location)
        .header("set-cookie", cookie)
        .header("referrer-policy", "no-referrer")
        .header("cache-control", "no-store")
        .send();
    });
  },
  finishAuthorization: async (ctx, _input, exchange) => {
    const { request, reply } = exchange;
    await orErrorPage(ctx, exchange, async () => {
      const callback = { query: request.query, cookieHeader: request.headers.cookie };
      const { error, cookie } = await finishAuthorization(ctx, callback);
      if (cookie !== undefined) reply.header("set-cookie", cookie);
      const page = error === undefined ? successPage() : errorPage({ ...error, status: 400 });
      await sendPage(exchange, page);
    });
  },
} satisfies RouteHandlers<typeof connectRoutes>;

/** People get a page; programs, which do not ask for HTML, get the standard error body. */
async function orErrorPage(
  ctx: InstallationContext,
  exchange: RawExchange,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(exchange.request.headers.accept ?? "").includes("text/html")) throw error;
    const known = error instanceof AppError ? error : new AppError("server_error");
    if (known.status >= 500) ctx.log.error("connect.page_failed", { error });
    const { status, code: type, message } = known;
    await sendPage(exchange, errorPage({ status, type, message }));
  }
}

async function sendPage({ reply }: RawExchange, page: Page): Promise<void> {
  await reply.status(page.status).headers(page.headers).send(page.html);
}
