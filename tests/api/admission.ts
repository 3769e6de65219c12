import { hasScope, type RouteDefinition, routes, type Scope, scopes } from "@jackfield/contract";
import type { ApiUnderTest } from "./api-under-test.ts";

// Promise A1: every route, with every single scope and every kind of caller, answers as its row in the
// table says. What is sent next to the key is not valid on purpose: only the door is tried.

/** Routes that are not for everybody, by their names. */
export const guarded = Object.entries(routes).flatMap(([name, route]) => {
  const definition: RouteDefinition = route;
  return definition.principals.includes("public") ? [] : [[name, definition] as const];
});

/** A key of each scope alone, and one of all scopes of each kind. */
export async function makeKeys(api: ApiUnderTest): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for (const scope of [...scopes, "environment:*", "account:*"] as const) {
    const owner = scope.startsWith("account:") ? "account" : "dev";
    keys.set(scope, await api.keyOf(owner, [scope]));
  }
  return keys;
}

/** What a route answers to a key. */
export async function callRoute(
  api: ApiUnderTest,
  route: RouteDefinition,
  authorization: string | undefined,
) {
  const method = route.method === "ANY" ? "GET" : route.method;
  const path = route.path.replace(/\{\w+\+?\}/g, "none");
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    },
    ...(method === "GET" ? {} : { body: "{}" }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const error = isJson && text !== "" ? JSON.parse(text).error : undefined;
  // MCP has numbers of JSON-RPC, and ours in the data.
  return { status: response.status, code: error?.data?.code ?? error?.code };
}

/** Routes whose scope alone is not enough: who reveals a secret has to hold the scope that reads what it belongs to. */
const alsoNeeds: Readonly<Record<string, Scope>> = {
  revealWebhookSigningKeys: "environment:webhooks:read",
  revealEnvironmentVariable: "environment:variables:read",
};

/** The keys that a route should not have let in, or should have, with what it answered. */
export async function findWronglyAdmitted(
  api: ApiUnderTest,
  keys: Iterable<readonly [scope: string, key: string]>,
  [name, route]: (typeof guarded)[number],
): Promise<string[]> {
  const wrong: string[] = [];
  const further = alsoNeeds[name];
  for (const [scope, key] of keys) {
    const { status, code } = await callRoute(api, route, `Bearer ${key}`);
    const isRefused = status === 401 || status === 403;
    const holdsAll = further === undefined || hasScope([scope], further);
    if (isRefused === (admits(route, scope) && holdsAll))
      wrong.push(`${scope}: ${status} ${String(code)}`);
    if (isRefused && !refusals.has(code)) {
      wrong.push(`${scope}: refused as ${String(code)}`);
    }
    if (status >= 500) wrong.push(`${scope}: ${status}`);
  }
  return wrong;
}

/** Codes for a key that is no leave: it may not, or it is no token of the kind that the route takes. */
const refusals: ReadonlySet<unknown> = new Set([
  "forbidden",
  "invalid_connect_session_token_format",
  "unknown_agent_token",
]);

/** Whether the row of the route names the scope. */
export function admits(route: RouteDefinition, scope: string): boolean {
  const kind = scope.startsWith("account:") ? "account" : "environment";
  if (!route.principals.includes(kind)) return false;
  if (route.scope === "any-key") return true;
  const wanted = [route.scope].flat() as Scope[];
  return wanted.some((each) => hasScope([scope], each));
}
