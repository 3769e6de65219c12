import { type endpointRoutes, recordRoutes, type Scope } from "@jackfield/contract";
import { triggerAction } from "#actions";
import { AppError, type EnvironmentContext, holdsScope } from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { type DeployedAction, type DeployedSync, listFunctions } from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { recordHandlers } from "#records";

export const endpointHandlers = {
  callEndpoint: async (ctx, { headers }, exchange) => {
    const { request, reply } = exchange;
    const integrationKey = headers["provider-config-key"];
    const connectionId = headers["connection-id"];
    const integration = await getIntegration(ctx, integrationKey);
    const path = pathOf(request.url);
    const found = await findEndpoint(ctx, { integration, method: request.method, path });
    if (found.kind === "records") {
      requireScope(ctx, "environment:records:read");
      await listRecords(ctx, { headers, model: found.model }, exchange);
      return;
    }
    requireScope(ctx, "environment:actions:execute");
    const input = await exchange.readJson();
    const actionName = found.fn.name;
    const call = { integrationKey, connectionId, actionName, input };
    const output = await triggerAction(ctx, call);
    await reply.status(200).header("content-type", "application/json").send(output);
  },
} satisfies RouteHandlers<typeof endpointRoutes>;

/** What follows `/v1`, decoded. */
function pathOf(url: string): string {
  const { pathname } = new URL(url, "http://localhost");
  return decodeURIComponent(pathname.replace(/^\/v1/i, ""));
}

/** The route admits who may do one of both; which it is, is known only here. */
function requireScope({ actor }: EnvironmentContext, scope: Scope): void {
  if (holdsScope(actor, scope)) return;
  throw new AppError("forbidden", `The caller lacks the scope \`${scope}\`.`);
}

async function listRecords(
  ctx: EnvironmentContext,
  call: {
    headers: { "connection-id": string; "provider-config-key": string };
    model: string;
  },
  exchange: RawExchange,
): Promise<void> {
  const { model } = call;
  const query = recordRoutes.listRecords.query.safeParse({ ...asObject(exchange), model });
  if (!query.success) {
    const [issue] = query.error.issues;
    const message = `${issue?.path.join(".")}: ${issue?.message}`;
    throw new AppError("invalid_query_params", message);
  }
  const input = { params: undefined, headers: call.headers, query: query.data, body: undefined };
  await recordHandlers.listRecords(ctx, input, exchange);
}

function asObject({ request: { query } }: RawExchange): object {
  return typeof query === "object" && query !== null ? query : {};
}

type Endpoint =
  | { readonly kind: "action"; readonly fn: DeployedAction }
  | { readonly kind: "records"; readonly fn: DeployedSync; readonly model: string };

/** The function that declares an endpoint; throws not_found. `path` begins with a slash. */
async function findEndpoint(
  ctx: EnvironmentContext,
  { integration, method, path }: { integration: Integration; method: string; path: string },
): Promise<Endpoint> {
  const isAsked = (endpoint: { method: string; path: string }) =>
    endpoint.method.toUpperCase() === method && trim(endpoint.path) === trim(path);
  for (const fn of await listFunctions(ctx, { integration, type: "action" })) {
    if (fn.definition.endpoints.some(isAsked)) return { kind: "action", fn };
  }
  for (const fn of await listFunctions(ctx, { integration, type: "sync" })) {
    const { endpoints, models } = fn.definition;
    const model = models[endpoints.findIndex(isAsked)];
    if (model !== undefined) return { kind: "records", fn, model };
  }
  throw new AppError(
    "not_found",
    `No function of the integration "${integration.uniqueKey}" declares the endpoint ${method} ${path}; call POST /action/trigger or GET /records.`,
  );
}

function trim(path: string): string {
  return `/${path.replaceAll(/^\/+|(?<!\/)\/+$/g, "")}`;
}
