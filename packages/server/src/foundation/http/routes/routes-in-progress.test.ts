import { defineRoute } from "@jackfield/contract";
import { expect, test } from "vitest";
import * as z from "zod";
import { createLogger } from "#foundation";
import { createHttpServer, RoutesInProgress, serveRoutes } from "#foundation/http";
import { ServerStates } from "../../server-state.ts";

test("routes are known by their pattern while they are served, and once more when they have ended", async () => {
  const inProgress = new RoutesInProgress();
  const seen: (readonly string[])[] = [];
  await using server = await createHttpServer({
    routes: serveRoutes(
      {
        find: defineRoute({
          method: "GET",
          path: "/things/{id}",
          summary: "Test",
          principals: ["public"],
          scope: "public",
          errors: [],
          idempotent: false,
          success: { status: 200, schema: z.unknown() },
        }),
      },
      {
        find: async () => {
          seen.push(inProgress.take());
          return {};
        },
      },
    ),
    authorize: async () => ({ state: new ServerStates() }) as never,
    bodyLimitBytes: 1000,
    log: createLogger("silent"),
    newErrorId: () => "id",
    inProgress,
  });

  await server.inject("/things/some-secret-id");
  await server.inject("/nothing");
  seen.push(inProgress.take(), inProgress.take());

  expect(seen).toEqual([["GET /things/{id}"], ["GET /things/{id}", "unknown route"], []]);
});
