import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { startThrowAwayServer } from "../../packages/server/src/index.ts";
import { startDatabaseRelay } from "./database-relay.ts";
import { scrape, sumOf } from "./scrape.ts";

// In a file of its own: what servers of one process observe is summed.
test("without the database the answer comes soon and says so", async () => {
  await using database = await createServerDatabase();
  await using relay = await startDatabaseRelay(database.connectionString);
  await using other = await startThrowAwayServer({
    SVC_METRICS_PORT: "0",
    SVC_DATABASE_URL: relay.url,
    SVC_ROLES: "api",
  });
  relay.silence();
  const startedAt = performance.now();

  const { status, series } = await scrape(other.metricsPort ?? 0);
  const tookMs = performance.now() - startedAt;
  relay.restore();

  expect([status, sumOf(series, "svc_database_up")]).toEqual([200, 0]);
  expect(sumOf(series, "svc_queue_depth")).toBeUndefined();
  expect(sumOf(series, "svc_process_up")).toBe(1);
  // It waits for less than a second; a busy machine adds to it. A silent database would take 10 s.
  expect(tookMs).toBeLessThan(5000);
});
