import type {
  AllowedDeletes,
  ListedSync,
  ListSyncRunsQuery,
  Success,
  SyncReconciliation,
  SyncRun,
  SyncStatus,
  SyncVariant,
} from "../api-types/index.ts";
import { encode, nameOf, syncBody, variantCall } from "../calls/request-parts.ts";
import type {
  ConnectionTarget,
  NamedSyncs,
  ReconciliationFilter,
  SyncFilter,
  SyncFrequency,
  SyncReference,
  SyncStatusQuery,
  SyncTarget,
  SyncTrigger,
} from "../requests.ts";
import { Resource } from "./resource.ts";

/** When syncs run, and how they did. */
export class Syncs extends Resource {
  /** Runs syncs now: all of them when none is named, for all connections when none is named. */
  async trigger({ reset, emptyCache, ...selection }: SyncTrigger): Promise<Success> {
    const isPlain = reset === undefined && emptyCache === undefined;
    const opts = isPlain ? undefined : { reset, emptyCache };
    const body = { ...syncBody(selection), opts };
    return await this.http.json({ method: "POST", path: "/sync/trigger", body });
  }

  async start(selection: NamedSyncs): Promise<Success> {
    const body = syncBody(selection);
    return await this.http.json({ method: "POST", path: "/sync/start", body });
  }

  async pause(selection: NamedSyncs): Promise<Success> {
    const body = syncBody(selection);
    return await this.http.json({ method: "POST", path: "/sync/pause", body });
  }

  async status({
    providerConfigKey,
    connectionId,
    syncs,
  }: SyncStatusQuery): Promise<{ syncs: SyncStatus[] }> {
    const query = {
      provider_config_key: providerConfigKey,
      connection_id: connectionId,
      syncs: syncs === "*" ? "*" : syncs.map(nameOf).join(","),
    };
    return await this.http.json({ method: "GET", path: "/sync/status", query });
  }

  /** Syncs of the whole environment, newest first; `next_cursor` is null at the end. */
  async list(filter: SyncFilter = {}): Promise<{ data: ListedSync[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/syncs", query: filter });
  }

  /** What webhooks missed and scheduled runs found, by connection, model and day; newest day first. */
  async listReconciliations(
    filter: ReconciliationFilter = {},
  ): Promise<{ data: SyncReconciliation[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/syncs/reconciliations", query: filter });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listRuns(
    id: string,
    query: ListSyncRunsQuery = {},
  ): Promise<{ data: SyncRun[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: `/syncs/${encode(id)}/runs`, query });
  }

  /** Asks a run to stop; `cancelled` is false when it had ended already. */
  async cancelRun(id: string): Promise<{ cancelled: boolean; data: SyncRun }> {
    return await this.http.json({ method: "POST", path: `/runs/${encode(id)}/cancel` });
  }

  /** `null` gives back the definition's own frequency. */
  async setFrequency({
    providerConfigKey,
    connectionId,
    sync,
    frequency,
  }: SyncFrequency): Promise<{ frequency: string }> {
    const [sync_name, sync_variant] = nameOf(sync).split("::");
    const path = "/sync/update-connection-frequency";
    const target = { provider_config_key: providerConfigKey, connection_id: connectionId };
    const body = { ...target, sync_name, sync_variant, frequency };
    return await this.http.json({ method: "PUT", path, body });
  }

  async createVariant(target: SyncTarget): Promise<SyncVariant> {
    return await this.http.json({ method: "POST", ...variantCall(target) });
  }

  async deleteVariant(target: SyncTarget): Promise<Success> {
    return await this.http.json({ method: "DELETE", ...variantCall(target) });
  }

  /** Lets the next run of a sync delete as many records as the delete guard has refused. */
  async confirmDeletes({
    providerConfigKey,
    connectionId,
    sync,
  }: ConnectionTarget & { readonly sync: SyncReference }): Promise<{ allowed: AllowedDeletes[] }> {
    const target = { provider_config_key: providerConfigKey, connection_id: connectionId };
    const body = { ...target, sync };
    return await this.http.json({ method: "POST", path: "/sync/confirm-deletes", body });
  }
}
