import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { inject } from "vitest";
import { DAY, HOUR, MINUTE } from "../clock.ts";
import type { EnvironmentContext, Settings } from "../context.ts";
import type { Db } from "../db/index.ts";
import { createEgress } from "../egress/index.ts";
import { noFailpoints } from "../failpoints.ts";
import { type HookAnswer, Hooks } from "../hooks.ts";
import { type EnvironmentId, newRandomId } from "../ids.ts";
import { noSpan } from "../instruments/index.ts";
import { createLogger } from "../logger/index.ts";
import { noNotices } from "../notices.ts";
import { noQuarantine } from "../quarantine.ts";
import type { Sandbox } from "../sandbox/index.ts";
import { ServerStates } from "../server-state.ts";
import { ManualClock } from "./manual-clock.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";
import { testKeys } from "./test-keys.ts";

/** Everything a verb needs, over a database of its own. */
export interface TestContext extends AsyncDisposable {
  /** Context of a first environment; its actor is a key with every scope of it. */
  readonly ctx: EnvironmentContext;
  readonly clock: ManualClock;
  readonly database: TestDatabase;
  /** A further environment of the same installation. */
  addEnvironment(): Promise<EnvironmentContext>;
}

export interface TestContextOptions {
  readonly hooks?: readonly HookAnswer<EnvironmentContext>[];
  readonly sandbox?: Sandbox;
  /** Those that differ from what a test has unless it says otherwise. */
  readonly settings?: Partial<Settings>;
  /** What egress opens; loopback by default. */
  readonly egressAllow?: readonly string[];
  /** Authorities (PEM) that egress trusts besides the usual ones. */
  readonly authorities?: readonly string[];
  /** How egress resolves names; by the system unless given. */
  readonly lookup?: LookupFunction;
}

/** One installation for a test file; loopback is open to egress. Dispose it in afterAll. */
export async function createTestContext(options: TestContextOptions = {}): Promise<TestContext> {
  const database = await createTestDatabase();
  const clock = new ManualClock();
  const log = createLogger("debug", join(inject("testRun").folder, "left", `log ${process.pid}`));
  const http = createEgress({
    allow: options.egressAllow ?? ["127.0.0.0/8", "localhost"],
    authorities: options.authorities ?? [],
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    log,
  });
  const state = new ServerStates();
  const base = {
    clock,
    log,
    http,
    db: database.db,
    keys: testKeys(),
    hooks: new Hooks(options.hooks ?? []),
    notices: noNotices,
    failpoints: noFailpoints,
    sandbox: options.sandbox ?? noSandbox,
    settings: {
      serverUrl: "http://127.0.0.1:3003",
      mcpAllowedOrigins: [],
      connectUrl: "http://127.0.0.1:3003/connect",
      dashboard: true,
      dashboardUrl: "http://localhost:3003/dashboard",
      ownersSignInLocally: true,
      severalAccounts: false,
      ownerEmail: undefined,
      bodyLimitBytes: 75 * 1024 * 1024,
      rateLimitPerMinute: 0,
      proxyReplayLimitBytes: 1024 * 1024,
      mcpLimits: { callMs: 5 * MINUTE, idleMs: MINUTE, answerBytes: 10 * 1024 * 1024 },
      mcpTaskAfterMs: 20_000,
      proxyLogSample: 1,
      logRunLines: 10_000,
      logDayBytes: 1024 * 1024 * 1024,
      maxConnections: undefined,
      metadataLimitBytes: 64 * 1024,
      compatPrefix: undefined,
      recordStorage: "sealed" as const,
      sqlAccess: undefined,
      quarantine: noQuarantine,
      spoolDir: await mkdtemp(join(tmpdir(), "jackfield-spool-")),
      refreshIdleMs: DAY,
      refreshPatienceMs: 25_000,
      logRetentionMs: 15 * DAY,
      auditRetentionMs: 400 * DAY,
      actionValueLimitBytes: 10 * 1024 * 1024,
      functionTimeouts: { action: 15 * MINUTE, sync: DAY, webhook: HOUR, "on-event": 5 * MINUTE },
      runSlots: 1000,
      environmentShare: 0.8,
      proxyCalls: 1000,
      webhookLimitPerMinute: 0,
      webhookEnvironmentLimitPerMinute: 0,
      webhookStorageBytes: 0,
      actionResultMs: 7 * DAY,
      traceProviders: false,
      ...options.settings,
    },
    state,
    trace: noSpan,
    signal: new AbortController().signal,
  };
  const accountId = await insertAccount(database.db, clock);
  const addEnvironment = async (): Promise<EnvironmentContext> => {
    const id = await insertEnvironment(database.db, accountId, clock);
    return {
      ...base,
      environment: { id, name: nameOf(id), accountId },
      actor: { kind: "key", keyId: randomUUID(), accountId, scopes: ["environment:*"] },
    };
  };
  return {
    ctx: await addEnvironment(),
    clock,
    database,
    addEnvironment,
    async [Symbol.asyncDispose]() {
      await state[Symbol.asyncDispose]();
      await http[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await rm(base.settings.spoolDir, { recursive: true, force: true });
    },
  };
}

const noSandbox: Sandbox = {
  run: () => Promise.reject(new Error("this test has no sandbox; pass one to createTestContext")),
  scripts: {
    run: () => Promise.reject(new Error("this test has no sandbox; pass one to createTestContext")),
    warm() {},
  },
  confine: (program) => Promise.resolve(program),
  describe: () => ({
    level: "permissions",
    filtersCalls: false,
    limits: "process",
    children: 0,
    idle: 0,
  }),
  async [Symbol.asyncDispose]() {},
};

async function insertAccount(db: Db, clock: ManualClock): Promise<string> {
  const id = randomUUID();
  await sql`insert into accounts (id, name, created_at) values (${id}, 'test', ${clock.now()})`.execute(
    db,
  );
  return id;
}

async function insertEnvironment(
  db: Db,
  accountId: string,
  clock: ManualClock,
): Promise<EnvironmentId> {
  const id = newRandomId<EnvironmentId>();
  const now = clock.now();
  const name = nameOf(id);
  await sql`
    insert into environments (id, account_id, name, created_at)
    values (${id}, ${accountId}, ${name}, ${now})`.execute(db);
  await sql`
    insert into environment_settings (environment_id, updated_at) values (${id}, ${now})`.execute(
    db,
  );
  await sql`
    insert into webhook_settings (environment_id, updated_at) values (${id}, ${now})`.execute(db);
  return id;
}

function nameOf(id: EnvironmentId): string {
  return `test-${id}`;
}
