import { AgentMethods } from "./agents/agent-methods.ts";
import type {
  AllowedDeletes,
  ListedSync,
  RecordModel,
  Success,
  SyncRun,
  SyncStatus,
  SyncVariant,
} from "./api-types/index.ts";
import { encode, headersOf, nameOf, syncBody, variantCall } from "./request-parts.ts";
import type {
  RecordModelFilter,
  RecordName,
  SyncFilter,
  SyncReference,
  SyncTarget,
} from "./requests.ts";
import type { SyncedRecord } from "./resources.ts";

/** When syncs run, their state, and what they saved. */
export class SyncMethods extends AgentMethods {
  /** Runs syncs now: all of them when none is named, for all connections when none is named. */
  async triggerSync(
    providerConfigKey: string,
    syncs: readonly SyncReference[] = [],
    connectionId?: string,
    opts?: { reset?: boolean; emptyCache?: boolean },
  ): Promise<Success> {
    const body = { ...syncBody(providerConfigKey, syncs, connectionId), opts };
    return await this.http.json({ method: "POST", path: "/sync/trigger", body });
  }

  async startSync(
    providerConfigKey: string,
    syncs: readonly SyncReference[],
    connectionId?: string,
  ): Promise<Success> {
    const body = syncBody(providerConfigKey, syncs, connectionId);
    return await this.http.json({ method: "POST", path: "/sync/start", body });
  }

  async pauseSync(
    providerConfigKey: string,
    syncs: readonly SyncReference[],
    connectionId?: string,
  ): Promise<Success> {
    const body = syncBody(providerConfigKey, syncs, connectionId);
    return await this.http.json({ method: "POST", path: "/sync/pause", body });
  }

  async syncStatus(
    providerConfigKey: string,
    syncs: "*" | readonly SyncReference[],
    connectionId?: string,
  ): Promise<{ syncs: SyncStatus[] }> {
    const query = {
      provider_config_key: providerConfigKey,
      connection_id: connectionId,
      syncs: syncs === "*" ? "*" : syncs.map(nameOf).join(","),
    };
    return await this.http.json({ method: "GET", path: "/sync/status", query });
  }

  /** Syncs of the whole environment, newest first; `next_cursor` is null at the end. */
  async listSyncs(
    filter: SyncFilter = {},
  ): Promise<{ data: ListedSync[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/syncs", query: { ...filter } });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listSyncRuns(
    id: string,
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: SyncRun[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: `/syncs/${encode(id)}/runs`, query });
  }

  /** Asks a run to stop; `cancelled` is false when it had ended already. */
  async cancelRun(id: string): Promise<{ cancelled: boolean; data: SyncRun }> {
    return await this.http.json({ method: "POST", path: `/runs/${encode(id)}/cancel` });
  }

  /** Deleted ones included; throws `not_found` when there is none. */
  async getRecord<Model extends object>(query: RecordName): Promise<{ data: SyncedRecord<Model> }> {
    const { providerConfigKey, connectionId, id, ...rest } = query;
    return await this.http.json({
      method: "GET",
      path: `/records/${encode(id)}`,
      headers: headersOf(providerConfigKey, connectionId),
      query: { ...rest },
    });
  }

  /** Models of the environment, or of one connection, newest first; `next_cursor` is null at the end. */
  async listRecordModels(
    filter: RecordModelFilter = {},
  ): Promise<{ data: RecordModel[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/records/models", query: { ...filter } });
  }

  /** `null` gives back the definition's own frequency. */
  async updateSyncConnectionFrequency(
    providerConfigKey: string,
    sync: SyncReference,
    connectionId: string,
    frequency: string | null,
  ): Promise<{ frequency: string }> {
    const [sync_name, sync_variant] = nameOf(sync).split("::");
    const path = "/sync/update-connection-frequency";
    const target = { provider_config_key: providerConfigKey, connection_id: connectionId };
    const body = { ...target, sync_name, sync_variant, frequency };
    return await this.http.json({ method: "PUT", path, body });
  }

  async createSyncVariant(target: SyncTarget): Promise<SyncVariant> {
    return await this.http.json({ method: "POST", ...variantCall(target) });
  }

  async deleteSyncVariant(target: SyncTarget): Promise<Success> {
    return await this.http.json({ method: "DELETE", ...variantCall(target) });
  }

  /** Lets the next run of a sync delete as many records as the delete guard has refused. */
  async confirmDeletes(
    providerConfigKey: string,
    sync: SyncReference,
    connectionId: string,
  ): Promise<{ allowed: AllowedDeletes[] }> {
    const target = { provider_config_key: providerConfigKey, connection_id: connectionId };
    const body = { ...target, sync };
    return await this.http.json({ method: "POST", path: "/sync/confirm-deletes", body });
  }
}
