import type { RouteInput, syncRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { environments } from "#environments";
import { type ConnectionUuid, type EnvironmentContext, on } from "#foundation";
import { deployFunctions, functions, functionsDeployed } from "#functions";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { records, recordsChanged } from "#records";
import { claimDueSyncs, countChanges, createSyncsOfFunctions, runSync, syncHandlers } from "#syncs";
import { type TestApp, testApp } from "#testing";
import { syncs } from "../slice.ts";
import { hasFollowUps, listRuns, saveWebhookSettings, takeJobs } from "./store.ts";
import { newSyncUpload } from "./sync-upload.ts";

/** The installation, and what is new for each test: an environment with one integration and connection. */
export let app: TestApp;
export let ctx: EnvironmentContext;
export let integration: { id: number; uniqueKey: string; provider: string };
export let connection: { uuid: ConnectionUuid; connectionId: string };

/** Continues in an environment that has nothing. */
export async function enterOtherEnvironment(): Promise<void> {
  ctx = await app.addEnvironment();
}

/** Called once by each test file: files may share a process, in which this module is loaded once. */
export function useSyncs(): void {
  beforeAll(async () => {
    app = await testApp({
      slices: [environments, functions, records, syncs],
      runsFunctions: true,
      hooks: [on(functionsDeployed, createSyncsOfFunctions), on(recordsChanged, countChanges)],
    });
  });
  afterAll(async () => await app[Symbol.asyncDispose]());
  beforeEach(async () => {
    ctx = await app.addEnvironment();
    integration = await insertTestIntegration(ctx, "crm");
    connection = await insertTestConnection(ctx, integration, "customer-1");
    await setWebhooks({ primary_url: "http://127.0.0.1:9/hook" });
  });
}

export async function setWebhooks(body: {
  primary_url?: string;
  on_sync_error?: boolean;
  on_sync_completion_always?: boolean;
  on_webhook_sync_completion?: boolean;
}) {
  await saveWebhookSettings(ctx, body);
}

export const twoContacts = `await svc.batchSave([{ id: "1", name: "a" }, { id: "2", name: "b" }], "Contact");`;

export async function deploy(body: string, change: Parameters<typeof newSyncUpload>[1] = {}) {
  await deployFunctions(ctx, newSyncUpload(body, change));
}

/** Runs what is queued, and what follows from it. */
export async function runQueued(): Promise<number> {
  let count = 0;
  for (;;) {
    await claimFollowUps(ctx);
    const jobs = await takeJobs(ctx);
    if (jobs.length === 0) return count;
    for (const job of jobs) await runSync(ctx, job);
    count += jobs.length;
  }
}

async function claimFollowUps(ctx: EnvironmentContext): Promise<void> {
  if (await hasFollowUps(ctx)) await claimDueSyncs(ctx);
}

export async function runDue(): Promise<number> {
  await claimDueSyncs(ctx);
  return await runQueued();
}

const target = { provider_config_key: "crm", connection_id: "customer-1" };

type TriggerBody = RouteInput<typeof syncRoutes.triggerSyncs>["body"];

export async function trigger(change: Partial<TriggerBody> = {}): Promise<void> {
  const body = { ...target, syncs: [], ...change };
  await syncHandlers.triggerSyncs(ctx, { ...noInput, headers: {}, query: {}, body });
}

const noInput = { params: undefined, query: undefined, headers: undefined };

export async function pause(): Promise<void> {
  await syncHandlers.pauseSyncs(ctx, { ...noInput, body: { ...target, syncs: [] } });
}

export async function start(): Promise<void> {
  await syncHandlers.startSyncs(ctx, { ...noInput, body: { ...target, syncs: [] } });
}

export async function readStatus() {
  const query = { ...target, syncs: "*" };
  const { syncs } = await syncHandlers.getSyncStatus(ctx, { ...noInput, body: undefined, query });
  const [status] = syncs;
  if (status === undefined) throw new Error("there is no sync");
  return status;
}

/** Resolves once a run of this environment has begun. */
export async function begun(): Promise<void> {
  const isRunning = async () => (await listRuns(ctx)).some(({ state }) => state === "running");
  await vi.waitUntil(isRunning, { timeout: 10_000, interval: 2 });
}
