import { ActionError } from "../action-error.ts";
import type { UncontrolledFetchOptions } from "../platform-types.ts";
import type { PaginatedConfiguration, ProxyConfiguration } from "../proxy-configuration.ts";
import type { SvcAction, SvcSync } from "../svc.ts";
import { describeIssues } from "./check-value.ts";
import { clearCheckpoint, getCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { ConnectionReader } from "./connection-reader.ts";
import {
  elicit,
  getFlowAttributes,
  IntegrationReader,
  releaseAllLocks,
  releaseLock,
  reportProgress,
  startSync,
  triggerAction,
  triggerSync,
  tryAcquireLock,
} from "./platform-calls.ts";
import { setMergingStrategy } from "./records/merge-records.ts";
import { getRecordsByIds, listRecords } from "./records/read-records.ts";
import { batchDelete, batchSave } from "./records/save-records.ts";
import { trackDeletesEnd, trackDeletesStart } from "./records/track-deletes.ts";
import { batchUpdate } from "./records/update-records.ts";
import { uncontrolledFetch } from "./requests/fetch.ts";
import { paginate } from "./requests/paginate.ts";
import { sendRequest } from "./requests/send-request.ts";
import { type Run, requireOpen, requireRunning, signalOf, type ValueSchema } from "./run.ts";
import { sendLog, setLogger, writeLog } from "./write-log.ts";

/**
 * The object a function is given. Its members are closures on a frozen object without a prototype, so nothing of
 * the run, the channel or the caches can be reached or replaced through it.
 */
export function createSvc(run: Run): SvcAction | SvcSync {
  const { kind } = run.facts;
  const members = kind === "sync" || kind === "webhook" ? syncMembers(run) : {};
  const svc = Object.assign(Object.create(null), actionMembers(run), members);
  Object.defineProperty(svc, "abortSignal", { enumerable: false, get: () => signalOf(run) });
  Object.defineProperty(svc, "logger", {
    enumerable: true,
    get: () => Object.freeze({ level: run.loggerLevel }),
  });
  return toSvc(Object.freeze(svc));
}

/** The member tables below follow the types by name; authors' schemas add only what tsc knows. */
function toSvc(members: object): SvcAction | SvcSync {
  return members as SvcAction | SvcSync;
}

function actionMembers(
  run: Run,
): Record<Exclude<keyof SvcAction, "abortSignal" | "logger">, unknown> {
  const { facts } = run;
  const connections = new ConnectionReader(run);
  const integrations = new IntegrationReader(run);
  const request = (method: NonNullable<ProxyConfiguration["method"]>) => {
    return (config: ProxyConfiguration) => sendRequest(run, { ...config, method });
  };
  return {
    connectionId: facts.connectionId,
    providerConfigKey: facts.providerConfigKey,
    provider: facts.provider,
    environmentName: facts.environmentName,
    environmentId: facts.environmentId,
    accountId: facts.accountId,
    svcConnectionId: facts.connectionNumber,
    syncConfig: Object.freeze({
      sync_name: facts.functionName,
      attributes: { ...facts.attributes },
    }),
    activityLogId: facts.operationId,
    syncJobId: facts.runId,
    scriptType: facts.kind,
    isCLI: facts.isDryRun === true,
    traceparent: facts.traceparent,
    ActionError,

    proxy: (config: ProxyConfiguration) => sendRequest(run, config),
    get: request("GET"),
    post: request("POST"),
    put: request("PUT"),
    patch: request("PATCH"),
    delete: request("DELETE"),
    paginate: (config: PaginatedConfiguration) => paginate(run, config),

    getConnection: (...args: Parameters<ConnectionReader["getConnection"]>) =>
      connections.getConnection(...args),
    getToken: () => connections.getToken(),
    getMetadata: () => connections.getMetadata(),
    setMetadata: (metadata: object) => connections.writeMetadata("replace", metadata),
    updateMetadata: (metadata: object) => connections.writeMetadata("merge", metadata),
    getFieldMapping: async () => Object((await connections.getMetadata())?.["fieldMapping"] ?? {}),
    setFieldMapping: (fieldMapping: object) => connections.writeMetadata("merge", { fieldMapping }),
    getEnvironmentVariables: async () => {
      requireOpen(run);
      const { value } = await run.channel.call("getEnvironmentVariables", {});
      return value;
    },
    getIntegration: (...args: Parameters<IntegrationReader["getIntegration"]>) =>
      integrations.getIntegration(...args),
    getWebhookURL: () => integrations.getWebhookURL(),
    uncontrolledFetch: (options: UncontrolledFetchOptions) => uncontrolledFetch(run, options),

    triggerAction: bindRun(run, triggerAction),
    reportProgress: bindRun(run, reportProgress),
    elicit: bindRun(run, elicit),
    triggerSync: bindRun(run, triggerSync),
    startSync: bindRun(run, startSync),
    tryAcquireLock: bindRun(run, tryAcquireLock),
    releaseLock: bindRun(run, releaseLock),
    releaseAllLocks: () => releaseAllLocks(run),

    log: async (...args: unknown[]) => {
      if (run.state !== "ended") requireRunning(run);
      await writeLog(run, args);
    },
    setLogger: (options: Parameters<typeof setLogger>[1]) => setLogger(run, options),

    getCheckpoint: () => getCheckpoint(run),
    saveCheckpoint: (checkpoint: unknown) => saveCheckpoint(run, checkpoint),
    clearCheckpoint: () => clearCheckpoint(run),

    zodValidateInput: (check: { zodSchema: ValueSchema; input: unknown }) =>
      zodValidateInput(run, check),
  };
}

function bindRun<Args extends unknown[], Result>(
  run: Run,
  method: (run: Run, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => method(run, ...args);
}

function syncMembers(run: Run): Record<Exclude<keyof SvcSync, keyof SvcAction>, unknown> {
  const { variant, lastSyncDate } = run.facts;
  return {
    variant,
    syncId: run.facts.syncId,
    getFlowAttributes: () => getFlowAttributes(run),
    lastSyncDate: lastSyncDate === undefined ? undefined : new Date(lastSyncDate),
    batchSave: (records: unknown, model: string) => batchSave(run, records, model),
    batchSend: (records: unknown, model: string) => batchSave(run, records, model),
    batchUpdate: (records: unknown, model: string) => batchUpdate(run, records, model),
    batchDelete: (records: unknown, model: string) => batchDelete(run, records, model),
    getRecordsByIds: (ids: unknown, model: string) => getRecordsByIds(run, ids, model),
    listRecords: (model: string, options?: { cursor?: string }) => listRecords(run, model, options),
    setMergingStrategy: (merging: { strategy?: unknown }, model: string) =>
      setMergingStrategy(run, merging, model),
    trackDeletesStart: (model: string) => trackDeletesStart(run, model),
    trackDeletesEnd: (model: string) => trackDeletesEnd(run, model),
    deleteRecordsFromPreviousExecutions: (model: string) => trackDeletesEnd(run, model),
  };
}

/** Parses with the author's schema; on failure logs each issue and throws an ActionError. */
async function zodValidateInput(
  run: Run,
  { zodSchema, input }: { zodSchema: ValueSchema; input: unknown },
): Promise<{ success: true; data: unknown }> {
  requireRunning(run);
  const result = await zodSchema.safeParseAsync(input);
  if (result.success) return { success: true, data: result.data };
  for (const issue of result.error?.issues ?? []) {
    await sendLog(run, { level: "error", message: `Invalid input: ${describeIssues([issue])}` });
  }
  throw new ActionError({ message: "Invalid input provided" });
}
