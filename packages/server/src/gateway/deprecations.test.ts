import { pathsOf, type RouteDefinition, routes } from "@jackfield/contract";
import { expect, test } from "vitest";
import { AppError, createLogger } from "#foundation";
import { createHttpServer } from "#foundation/http";

test("of all paths of the API exactly the deprecated ones say so, and what to use is there", async () => {
  const all: readonly RouteDefinition[] = Object.values(routes);
  const server = await createHttpServer({
    routes: Object.entries(routes).map(([name, route]) => ({
      name,
      route,
      answer: async () => ({}),
    })),
    authorize: async () => {
      throw new AppError("missing_auth_header");
    },
    bodyLimitBytes: 1000,
    log: createLogger("silent"),
    newErrorId: () => "id",
  });
  const known = new Set(all.flatMap((route) => pathsOf(route).map(({ path }) => path)));
  const wrong: string[] = [];

  for (const route of all) {
    for (const { path, deprecated } of pathsOf(route)) {
      const url = path.replaceAll(/\{\w+\+?\}/g, "x");
      const method = route.method === "ANY" ? "GET" : route.method;
      const { headers } = await server.inject({ method, url });
      const said = headers["deprecation"] !== undefined && headers["sunset"] !== undefined;
      if (said !== (deprecated !== undefined)) wrong.push(`${method} ${path}`);
      const use = deprecated?.use.replace(/^[A-Z]+ /, "");
      if (use !== undefined && !known.has(use)) wrong.push(`${method} ${path} points at ${use}`);
    }
  }
  await server.close();

  expect(wrong).toEqual([]);
  expect(all.flatMap(pathsOf).some(({ deprecated }) => deprecated !== undefined)).toBe(true);
});
