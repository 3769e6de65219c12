import { expect, test } from "vitest";
import { bodyKindOf, bodyLimits, type RouteDefinition, routes } from "./index.ts";

const all: readonly (readonly [string, RouteDefinition])[] = Object.entries(routes);

test("every route has a limit, and only the proxy passes bodies on without one", () => {
  const streams = all.filter(([, route]) => bodyKindOf(route) === "stream");

  expect(streams.map(([name]) => name)).toEqual(["proxyRequest"]);
  for (const { bytes } of Object.values(bodyLimits))
    expect(bytes).toBeLessThanOrEqual(75 * 2 ** 20);
});

test("who needs no key sends little", () => {
  const open = all.filter(([, route]) => route.principals.some((who) => who === "public"));
  const large = open.filter(([, route]) => {
    const kind = bodyKindOf(route);
    return kind === "stream" || bodyLimits[kind].bytes > 64 * 1024;
  });

  expect(large.map(([name]) => name)).toEqual(["receiveWebhook"]);
});

test("a route of any method says what it takes", () => {
  const silent = all.filter(
    ([, { method, bodyLimit }]) => method === "ANY" && bodyLimit === undefined,
  );

  expect(silent.map(([name]) => name)).toEqual([]);
});
