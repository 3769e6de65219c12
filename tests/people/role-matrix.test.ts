import {
  type GrantedRole,
  hasScope,
  type Role,
  type RouteDefinition,
  roles,
  routes,
  type Scope,
  scopesInAccount,
  scopesInEnvironment,
} from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

// Every route with every role, in an environment of each kind: it answers as the role's row says. What is sent is not
// valid on purpose: only the door is tried.

let people: PeopleUnderTest;
const browsers = new Map<Role, Browser>();
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  browsers.set("owner", owner);
  for (const role of roles.filter((each) => each !== "owner")) {
    const { browser } = await people.join(role);
    browsers.set(role, browser);
  }
});
afterAll(async () => await people[Symbol.asyncDispose]());

const environments = [
  { name: "dev", isProduction: false },
  { name: "prod", isProduction: true },
] as const;

const guarded = Object.entries(routes).flatMap(([name, route]) => {
  const definition: RouteDefinition = route;
  return definition.principals.includes("public") ? [] : [[name, definition] as const];
});

type Expected = "admitted" | "forbidden" | "session_not_taken" | "missing_auth_header";

function expectedOf(
  route: RouteDefinition,
  role: Role,
  environment: (typeof environments)[number],
): Expected {
  const { principals, scope } = route;
  if (principals.every((principal) => principal === "session" || principal === "agent"))
    return "missing_auth_header";
  if (route.sessions === "refused") return "session_not_taken";
  if (scope === "any-key" || scope === "user") return "admitted";
  const grants: GrantedRole[] = [{ role, environments: "all" }];
  const { isProduction } = environment;
  const held = principals.includes("environment")
    ? scopesInEnvironment(grants, { id: environment.name, isProduction })
    : scopesInAccount(grants);
  const wanted = [scope].flat() as Scope[];
  return wanted.some((each) => hasScope(held, each)) ? "admitted" : "forbidden";
}

async function knock(browser: Browser, route: RouteDefinition, environment: string) {
  const method = route.method === "ANY" ? "GET" : route.method;
  const path = route.path.replace(/\{\w+\+?\}/g, "none");
  const body = method === "GET" ? {} : { body: {} };
  const { status, body: answer } = await browser.call(method, path, { environment, ...body });
  if (status !== 401 && status !== 403) return status >= 500 ? `${status}` : "admitted";
  // MCP has numbers of JSON-RPC, and ours in the data.
  return answer.error.data?.code ?? answer.error.code;
}

test.each(guarded)("%s admits the roles whose row says so", async (_name, route) => {
  const wrong: string[] = [];
  for (const role of roles) {
    const browser = browsers.get(role);
    if (browser === undefined) throw new Error(`nobody is ${role}`);
    for (const environment of environments) {
      const expected = expectedOf(route, role, environment);
      const found = await knock(browser, route, environment.name);
      if (found !== expected)
        wrong.push(`${role} in ${environment.name}: ${found}, not ${expected}`);
    }
  }

  expect(wrong).toEqual([]);
});

test("in production no role below admin holds what hands out credentials, runs code, makes keys or deletes", () => {
  const place = { id: "prod", isProduction: true };
  const dangerous: Scope[] = [
    "environment:connections:read_credentials",
    "environment:connections:list_credentials",
    "environment:integrations:read_credentials",
    "environment:integrations:list_credentials",
    "environment:secrets:reveal",
    "environment:api_keys:create",
    "environment:api_keys:update",
    "environment:webhook_signing_key:rotate",
    "environment:deploy",
    "environment:functions:dryrun",
    "environment:proxy",
    "environment:providers:write",
    "environment:connections:delete",
    "environment:integrations:delete",
    "environment:functions:delete",
  ];

  for (const role of ["developer", "support", "read-only"] as const) {
    const held = scopesInEnvironment([{ role, environments: "all" }], place);
    expect(dangerous.filter((scope) => hasScope(held, scope))).toEqual([]);
  }
});

test("a developer to whom it is granted runs code in production, and still deletes nothing", () => {
  const grants: GrantedRole[] = [{ role: "developer", environments: "all", runsCode: true }];

  const held = scopesInEnvironment(grants, { id: "prod", isProduction: true });

  expect(held).toEqual(expect.arrayContaining(["environment:deploy", "environment:proxy"]));
  expect(held).not.toContain("environment:connections:delete");
  expect(held).not.toContain("environment:connections:read_credentials");
});

test("a grant for one environment, or for what is not production, reaches no other", () => {
  const one: GrantedRole[] = [{ role: "developer", environments: "one", environmentId: "a" }];
  const safe: GrantedRole[] = [{ role: "developer", environments: "non-production" }];

  expect(scopesInEnvironment(one, { id: "b", isProduction: false })).toEqual([]);
  expect(scopesInEnvironment(one, { id: "a", isProduction: false })).toEqual(["environment:*"]);
  expect(scopesInEnvironment(safe, { id: "b", isProduction: true })).toEqual([]);
});

test("support refreshes tokens and handles webhooks again, and changes neither connections nor settings", async () => {
  const support = browsers.get("support");
  const knockAt = async (method: string, path: string, body?: object) => {
    const answer = await support?.call(method, path, { environment: "prod", body });
    return answer?.status === 403 ? "forbidden" : "admitted";
  };
  const since = new Date(0).toISOString();
  const bulk = { filter: {}, dry_run: true };

  const helped = [
    await knockAt("POST", "/connections/c/refresh?provider_config_key=i"),
    await knockAt("POST", "/bulk", { action: "connections:refresh", ...bulk }),
    await knockAt("POST", "/webhooks/deliveries/replay", { since }),
    await knockAt("POST", `/webhooks/inbox/${crypto.randomUUID()}/replay`),
  ];
  const changed = [
    await knockAt("PATCH", "/connections/c?provider_config_key=i", { tags: {} }),
    await knockAt("POST", "/bulk", { action: "connections:tag", tags: { a: "b" }, ...bulk }),
    await knockAt("POST", "/bulk", { action: "connections:delete", ...bulk }),
    await knockAt("PATCH", "/environment/webhooks", { forward: false }),
    await knockAt("POST", "/webhooks/receivers/enable", { url: "https://example.com/x" }),
    await knockAt("POST", "/webhooks/receivers/test", { url: "https://example.com/x" }),
  ];

  expect(new Set(helped)).toEqual(new Set(["admitted"]));
  expect(new Set(changed)).toEqual(new Set(["forbidden"]));
});
