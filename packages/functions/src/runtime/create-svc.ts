import { ActionError } from "../action-error.ts";
import type { PaginatedConfiguration, ProxyConfiguration } from "../proxy-configuration.ts";
import type { SvcAction, SvcSync } from "../svc.ts";
import { clearCheckpoint, getCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { ConnectionReader } from "./connection-reader.ts";
import { paginate } from "./paginate.ts";
import { type Run, requireOpen, requireRunning, type ValueSchema } from "./run.ts";
import { batchDelete, batchSave } from "./save-records.ts";
import { sendRequest } from "./send-request.ts";
import { zodValidateInput } from "./validate-input.ts";
import { setLogger, writeLog } from "./write-log.ts";

/**
 * The object a function is given. Its members are closures on a frozen object without a prototype, so nothing of
 * the run, the channel or the caches can be reached or replaced through it.
 */
export function createSvc(run: Run): SvcAction | SvcSync {
  const { kind } = run.facts;
  const members = kind === "sync" || kind === "webhook" ? syncMembers(run) : {};
  return toSvc(Object.freeze(Object.assign(Object.create(null), actionMembers(run), members)));
}

/** The member tables below follow the types by name; authors' schemas add only what tsc knows. */
function toSvc(members: object): SvcAction | SvcSync {
  return members as SvcAction | SvcSync;
}

function actionMembers(run: Run): Record<keyof SvcAction, unknown> {
  const { facts } = run;
  const connections = new ConnectionReader(run);
  const request = (method: NonNullable<ProxyConfiguration["method"]>) => {
    return (config: ProxyConfiguration) => sendRequest(run, { ...config, method });
  };
  return {
    connectionId: facts.connectionId,
    providerConfigKey: facts.providerConfigKey,
    provider: facts.provider,
    environmentName: facts.environmentName,
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
    getEnvironmentVariables: async () => {
      requireOpen(run);
      const { value } = await run.channel.call("getEnvironmentVariables", {});
      return value;
    },

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

function syncMembers(run: Run): Record<Exclude<keyof SvcSync, keyof SvcAction>, unknown> {
  const { variant, lastSyncDate } = run.facts;
  return {
    variant,
    lastSyncDate: lastSyncDate === undefined ? undefined : new Date(lastSyncDate),
    batchSave: (records: unknown, model: string) => batchSave(run, records, model),
    batchDelete: (records: unknown, model: string) => batchDelete(run, records, model),
  };
}
