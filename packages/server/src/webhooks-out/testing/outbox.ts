import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { createEnvironment, failingReceivers, listSigningKeys } from "#environments";
import {
  createLogger,
  type EnvironmentContext,
  on,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { DueChannel, type DueLoop, startDueLoop } from "#tasks";
import { noteQueuedAgain } from "../distributed/note-deliveries.ts";
import { createDeliveryWork, findFailingReceivers } from "../index.ts";
import type { DeliveryKey } from "../store.ts";

export interface StoredDelivery {
  id: string;
  state: string;
  attempts: number;
  nextAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  leasedUntil: Date | null;
  body: Buffer;
}

/** One installation for a test file, and what tests of its outbox do with it. */
export interface OutboxUnderTest extends AsyncDisposable {
  readonly app: TestContext;
  /** An environment of its own, with the signing key that each one gets. */
  environment(urls?: { primary?: string; secondary?: string }): Promise<EnvironmentContext>;
  /** Sends until the test ends. */
  startSending(
    options?: Parameters<typeof createDeliveryWork>[0] & Partial<Pick<SystemContext, "log">>,
  ): DueLoop;
  /** Rows of the environment, by address. */
  stored(ctx: EnvironmentContext): Promise<StoredDelivery[]>;
  keyOf(ctx: EnvironmentContext): Promise<string>;
  /** After a change of deliveries by SQL: what triggers keep of them, or elsewhere the server. */
  keepInStep(ctx: EnvironmentContext): Promise<void>;
}

export async function startOutbox(): Promise<OutboxUnderTest> {
  const app = await createTestContext({ hooks: [on(failingReceivers, findFailingReceivers)] });
  const { connectionString } = app.database;
  const channel = new DueChannel({ connectionString, log: createLogger("silent") });
  return {
    app,
    async environment(urls = {}) {
      const { accountId } = app.ctx.environment;
      const name = randomUUID();
      const id = await createEnvironment(app.ctx, { accountId, name, isProduction: false });
      const ctx = withEnvironment(app.ctx, { id, name, accountId });
      await app.database.pool.query(
        "update webhook_settings set primary_url = $2, secondary_url = $3 where environment_id = $1",
        [id, urls.primary ?? "", urls.secondary ?? ""],
      );
      return ctx;
    },
    startSending({ log = app.ctx.log, ...options } = {}) {
      const loop = startDueLoop({
        work: createDeliveryWork(options),
        channel,
        makeContext: (signal) => ({ ...app.ctx, log, signal }),
      });
      onTestFinished(async () => await loop[Symbol.asyncDispose]());
      return loop;
    },
    async stored(ctx) {
      const { rows } = await app.database.pool.query<StoredDelivery>(
        `select id, state, attempts, next_attempt_at as "nextAttemptAt", last_status as "lastStatus",
                last_error as "lastError", leased_until as "leasedUntil", body
           from webhook_deliveries where environment_id = $1 order by url, created_at, id`,
        [ctx.environment.id],
      );
      return rows;
    },
    async keyOf(ctx) {
      const [newest] = await listSigningKeys(ctx);
      return newest?.key.reveal() ?? "";
    },
    async keepInStep(ctx) {
      const { id } = ctx.environment;
      const { rows } = await app.database.pool.query<DeliveryKey>(
        `select id, created_at as "createdAt" from webhook_deliveries where environment_id = $1`,
        [id],
      );
      await noteQueuedAgain(ctx, id, rows);
    },
    async [Symbol.asyncDispose]() {
      await channel[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}
