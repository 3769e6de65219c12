import { type Principal, routes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admits, callRoute, findWronglyAdmitted, guarded, makeKeys } from "./admission.ts";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";

let api: ApiUnderTest;
let keys: ReadonlyMap<string, string>;
let deleted = "";
beforeAll(async () => {
  api = await startApi();
  keys = await makeKeys(api);
  deleted = await api.keyOf("dev", ["environment:*"]);
  await api.database.pool.query(
    "update api_keys set deleted_at = now() where created_at = (select max(created_at) from api_keys)",
  );
});
afterAll(async () => await api[Symbol.asyncDispose]());

/** Of the keys that a route refuses, each is tried at one route in so many; the long form tries each at all. */
const ONE_IN = 4;

test.each(guarded.map((row, at) => [...row, at] as const))(
  "%s admits just the keys that its row names",
  async (name, route, at) => {
    const tried = [...keys].filter(
      ([scope], index) => admits(route, scope) || (index + at) % ONE_IN === 0,
    );

    expect(await findWronglyAdmitted(api, tried, [name, route])).toEqual([]);
  },
);

test.each(guarded)(
  "%s refuses who brings no key, a wrong one or a deleted one",
  async (_name, route) => {
    const call = async (authorization?: string) => await callRoute(api, route, authorization);
    const nobody = await call();
    const empty = await call("Bearer ");
    const malformed = await call("Bearer password");
    const gone = await call(`Bearer ${deleted}`);
    const session = await call(`Bearer svc_connect_session_${"0".repeat(64)}`);

    const [only] = route.principals.length === 1 ? route.principals : [];
    const ofTokens = only === undefined ? undefined : faults[only];
    const takesSession = route.principals.includes("session");
    expect(nobody).toEqual({
      status: 401,
      code: only === "user" ? "not_signed_in" : "missing_auth_header",
    });
    expect(empty).toEqual({ status: 401, code: "malformed_auth_header" });
    expect(malformed).toEqual({ status: 401, code: ofTokens ?? "invalid_secret_key_format" });
    expect(gone).toEqual({ status: 401, code: ofTokens ?? "unknown_account" });
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
