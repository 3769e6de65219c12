import { type DeployedAction, type DeployedSync, listFunctions } from "#functions";
import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";

export type Endpoint =
  | { readonly kind: "action"; readonly fn: DeployedAction }
  | { readonly kind: "records"; readonly fn: DeployedSync; readonly model: string };

/** The function that declares an endpoint; throws not_found. `path` begins with a slash. */
export async function findEndpoint(
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
