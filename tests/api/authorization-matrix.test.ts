import {
  hasScope,
  type Principal,
  type RouteDefinition,
  routes,
  type Scope,
  scopes,
} from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";

// Promise A1: every route, with every single scope and every kind of caller, answers as its row in the
// table says. What is sent next to the key is not valid on purpose: only the door is tried.

let api: ApiUnderTest;
const keys = new Map<string, string>();
beforeAll(async () => {
  api = await startApi();
  for (const scope of scopes) {
    const owner = scope.startsWith("account:") ? "account" : "dev";
    keys.set(scope, await api.keyOf(owner, [scope]));
  }
  keys.set("environment:*", await api.keyOf("dev", ["environment:*"]));
  keys.set("account:*", await api.keyOf("account", ["account:*"]));
  const deleted = await api.keyOf("dev", ["environment:*"]);
  await api.database.pool.query(
    "update api_keys set deleted_at = now() where created_at = (select max(created_at) from api_keys)",
  );
  keys.set("deleted", deleted);
});
afterAll(async () => await api[Symbol.asyncDispose]());

const guarded = Object.entries(routes).flatMap(([name, route]) => {
  const definition: RouteDefinition = route;
  return definition.principals.includes("public") ? [] : [[name, definition] as const];
});

async function call(route: RouteDefinition, authorization: string | undefined) {
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

test.each(guarded)("%s admits just the keys that its row names", async (name, route) => {
  const wrong: string[] = [];
  const further = alsoNeeds[name];
  for (const [scope, key] of keys) {
    if (scope === "deleted") continue;
    const { status, code } = await call(route, `Bearer ${key}`);
    const isRefused = status === 401 || status === 403;
    const holdsAll = further === undefined || hasScope([scope], further);
    if (isRefused === (admits(route, scope) && holdsAll))
      wrong.push(`${scope}: ${status} ${String(code)}`);
    if (isRefused && !refusals.has(code)) {
      wrong.push(`${scope}: refused as ${String(code)}`);
    }
    if (status >= 500) wrong.push(`${scope}: ${status}`);
  }

  expect(wrong).toEqual([]);
});

/** Codes for a key that is no leave: it may not, or it is no token of the kind that the route takes. */
const refusals: ReadonlySet<unknown> = new Set([
  "forbidden",
  "invalid_connect_session_token_format",
  "unknown_agent_token",
]);

function admits(route: RouteDefinition, scope: string): boolean {
  const kind = scope.startsWith("account:") ? "account" : "environment";
  if (!route.principals.includes(kind)) return false;
  if (route.scope === "any-key") return true;
  const wanted = [route.scope].flat() as Scope[];
  return wanted.some((each) => hasScope([scope], each));
}

test.each(guarded)(
  "%s refuses who brings no key, a wrong one or a deleted one",
  async (_name, route) => {
    const nobody = await call(route, undefined);
    const empty = await call(route, "Bearer ");
    const malformed = await call(route, "Bearer password");
    const deleted = await call(route, `Bearer ${keys.get("deleted")}`);
    const session = await call(route, `Bearer svc_connect_session_${"0".repeat(64)}`);

    const [only] = route.principals.length === 1 ? route.principals : [];
    const ofTokens = only === undefined ? undefined : faults[only];
    const takesSession = route.principals.includes("session");
    expect(nobody).toEqual({
      status: 401,
      code: only === "user" ? "not_signed_in" : "missing_auth_header",
    });
    expect(empty).toEqual({ status: 401, code: "malformed_auth_header" });
    expect(malformed).toEqual({ status: 401, code: ofTokens ?? "invalid_secret_key_format" });
    expect(deleted).toEqual({ status: 401, code: ofTokens ?? "unknown_account" });
    expect(session).toEqual({
      status: 401,
      code: takesSession
        ? "unknown_connect_session_token"
        : (ofTokens ?? "invalid_secret_key_format"),
    });
  },
);

/** What a route says to a text that is no token of the only kind that it takes. */
const faults: Partial<Record<Principal, string>> = {
  session: "invalid_connect_session_token_format",
  agent: "unknown_agent_token",
};

test("every route is in the matrix, or says that it is public", () => {
  const open = Object.values(routes).filter((route) => route.scope === "public");

  expect(guarded.length + open.length).toBe(Object.keys(routes).length);
});
