import { pathsOf, type RouteDefinition, type RouteName, routes } from "@jackfield/contract";
import { expect, test } from "vitest";
import { calls } from "./testing/calls.ts";

// Every route that takes a key has a method, and every method a route: who adds one sees the other fail.

/** Routes that backends call in another way, each with the reason. */
const withoutMethod: Partial<Record<RouteName, string>> = {
  proxyRequest: "proxy, get, post, put, patch and delete, tried in call-provider.test.ts",
  deployFunctions: "takes what the command line has bundled",
  planDeployment: "takes what the command line has bundled",
  stageDeployment: "takes what the command line has bundled",
  stageFunctions: "takes what the command line has bundled",
  stageBundles: "takes what the command line has bundled",
  planStagedDeployment: "of what the command line has bundled",
  commitStagedDeployment: "of what the command line has bundled",
  startCanary: "of what the command line has bundled",
  deployBundle: "takes what a build has bundled",
  previewBundle: "takes what a build has bundled",
  streamRecords: "records.feed, tried in jackfield.test.ts",
  streamEvents: "read as a stream of events by a browser or a client of server-sent events",
  getSimulator: "for first steps on one's own machine, which the dashboard leads through",
  startSimulator: "for first steps on one's own machine, which the dashboard leads through",
  setSimulatorFault: "for first steps on one's own machine, which the dashboard leads through",
  callMcp: "spoken by clients of the Model Context Protocol",
  passToUpstream: "spoken by clients of the Model Context Protocol",
  refuseUpstreamEnd: "there is nothing to end",
  refuseUpstreamStream: "there is no such stream",
  refuseMcpEnd: "spoken by clients of the Model Context Protocol",
  refuseMcpStream: "spoken by clients of the Model Context Protocol",
  callManagement: "spoken by clients of the Model Context Protocol",
  refuseManagementEnd: "spoken by clients of the Model Context Protocol",
  refuseManagementStream: "spoken by clients of the Model Context Protocol",
};

const definitions: [string, RouteDefinition][] = Object.entries(routes);
const forKeys = definitions.filter(
  ([, { principals, deprecated }]) =>
    (principals.includes("environment") || principals.includes("account")) &&
    deprecated === undefined,
);

const lines = calls.map(([name, , line]) => {
  const [method = "", url = ""] = line.split(" ");
  return { name, method, path: url.split("?")[0] ?? "" };
});

function isOf(route: RouteDefinition, { method, path }: (typeof lines)[number]): boolean {
  if (route.method !== method) return false;
  return pathsOf(route).some((known) =>
    new RegExp(`^${known.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}

test.each(forKeys)("%s has a method", (name, route) => {
  const hasMethod = lines.some((line) => isOf(route, line));

  expect(hasMethod).toBe(!Object.hasOwn(withoutMethod, name));
});

test("every method calls a route", () => {
  const strays = lines.filter((line) => !definitions.some(([, route]) => isOf(route, line)));

  expect(strays.map(({ name }) => name)).toEqual([]);
});
