import type {
  AllowedDeletes,
  AsyncAction,
  Connection,
  ConnectionChange,
  ConnectionCredentials,
  DeployedFunction,
  Diagnosis,
  FunctionPage,
  FunctionType,
  FunctionVersion,
  MetadataChange,
  RevealedField,
  Success,
  SyncStatus,
} from "../api-types/index.ts";
import type { Namespaces } from "../namespaces.ts";
import type { ChangeOptions, FunctionQuery, SyncReference } from "../requests.ts";
import type { Metadata } from "../resources.ts";

/** Methods of the client as they were before its namespaces, with arguments in a row. */
export const positionalMethods = {
  /** @deprecated Use `connections.get`. */
  async getConnection(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
    refreshToken = false,
  ): Promise<Connection> {
    const read = { providerConfigKey, connectionId, forceRefresh, refreshToken };
    return await this.connections.get(read);
  },

  /** @deprecated Use `connections.update`. */
  async patchConnection(
    this: Namespaces,
    target: { connectionId: string; provider_config_key: string },
    body: ConnectionChange,
  ): Promise<Success> {
    const { connectionId, provider_config_key: providerConfigKey } = target;
    return await this.connections.update({ providerConfigKey, connectionId }, body);
  },

  /** @deprecated Use `connections.updateConfig`. */
  async updateConnectionConfig(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    config: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    return await this.connections.updateConfig({ providerConfigKey, connectionId }, config);
  },

  /** @deprecated Use `connections.delete`. */
  async deleteConnection(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
  ): Promise<Success> {
    return await this.connections.delete({ providerConfigKey, connectionId });
  },

  /** @deprecated Use `connections.refresh`. */
  async refreshConnection(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
  ): Promise<{ refreshed: boolean; data: Connection }> {
    return await this.connections.refresh({ providerConfigKey, connectionId });
  },

  /** @deprecated Use `connections.getToken`. */
  async getToken(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
  ): Promise<string | ConnectionCredentials> {
    return await this.connections.getToken({ providerConfigKey, connectionId, forceRefresh });
  },

  /** @deprecated Use `connections.getRawTokenResponse`. */
  async getRawTokenResponse(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
  ): Promise<unknown> {
    const read = { providerConfigKey, connectionId, forceRefresh };
    return await this.connections.getRawTokenResponse(read);
  },

  /** @deprecated Use `connections.getMetadata`. */
  async getMetadata(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
  ): Promise<Metadata> {
    return await this.connections.getMetadata({ providerConfigKey, connectionId });
  },

  /** @deprecated Use `connections.setMetadata`. */
  async setMetadata(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string | string[],
    metadata: Metadata,
  ): Promise<MetadataChange> {
    return await this.connections.setMetadata({ providerConfigKey, connectionId }, metadata);
  },

  /** @deprecated Use `connections.updateMetadata`. */
  async updateMetadata(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string | string[],
    metadata: Metadata,
  ): Promise<MetadataChange> {
    return await this.connections.updateMetadata({ providerConfigKey, connectionId }, metadata);
  },

  /** @deprecated Use `connections.diagnose`. */
  async diagnoseConnection(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
  ): Promise<{ data: Diagnosis }> {
    return await this.connections.diagnose({ providerConfigKey, connectionId });
  },

  /** @deprecated Use `connections.revealField`. */
  async revealConnectionField(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    field: string,
  ): Promise<{ data: RevealedField }> {
    return await this.connections.revealField({ providerConfigKey, connectionId, field });
  },

  /** @deprecated Use `actions.trigger`. */
  async triggerAction<Output>(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: unknown,
    options: ChangeOptions = {},
  ): Promise<Output> {
    const call = { providerConfigKey, connectionId, action: actionName, input };
    return await this.actions.trigger(call, options);
  },

  /** @deprecated Use `actions.triggerAsync`. */
  async triggerActionAsync(
    this: Namespaces,
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: unknown,
    { maxRetries = 0, ...options }: ChangeOptions & { maxRetries?: number } = {},
  ): Promise<AsyncAction> {
    const call = { providerConfigKey, connectionId, action: actionName, input, maxRetries };
    return await this.actions.triggerAsync(call, options);
  },

  /** @deprecated Use `syncs.trigger`. */
  async triggerSync(
    this: Namespaces,
    providerConfigKey: string,
    syncs: readonly SyncReference[] = [],
    connectionId?: string,
    opts?: { reset?: boolean; emptyCache?: boolean },
  ): Promise<Success> {
    return await this.syncs.trigger({ providerConfigKey, syncs, connectionId, ...opts });
  },

  /** @deprecated Use `syncs.start`. */
  async startSync(
    this: Namespaces,
    providerConfigKey: string,
    syncs: readonly SyncReference[],
    connectionId?: string,
  ): Promise<Success> {
    return await this.syncs.start({ providerConfigKey, syncs, connectionId });
  },

  /** @deprecated Use `syncs.pause`. */
  async pauseSync(
    this: Namespaces,
    providerConfigKey: string,
    syncs: readonly SyncReference[],
    connectionId?: string,
  ): Promise<Success> {
    return await this.syncs.pause({ providerConfigKey, syncs, connectionId });
  },

  /** @deprecated Use `syncs.status`. */
  async syncStatus(
    this: Namespaces,
    providerConfigKey: string,
    syncs: "*" | readonly SyncReference[],
    connectionId?: string,
  ): Promise<{ syncs: SyncStatus[] }> {
    return await this.syncs.status({ providerConfigKey, syncs, connectionId });
  },

  /** @deprecated Use `syncs.setFrequency`. */
  async updateSyncConnectionFrequency(
    this: Namespaces,
    providerConfigKey: string,
    sync: SyncReference,
    connectionId: string,
    frequency: string | null,
  ): Promise<{ frequency: string }> {
    return await this.syncs.setFrequency({ providerConfigKey, connectionId, sync, frequency });
  },

  /** @deprecated Use `syncs.confirmDeletes`. */
  async confirmDeletes(
    this: Namespaces,
    providerConfigKey: string,
    sync: SyncReference,
    connectionId: string,
  ): Promise<{ allowed: AllowedDeletes[] }> {
    return await this.syncs.confirmDeletes({ providerConfigKey, connectionId, sync });
  },

  /** @deprecated Use `functions.list`. */
  async listFunctions(
    this: Namespaces,
    uniqueKey: string,
    query: FunctionQuery = {},
  ): Promise<FunctionPage> {
    return await this.functions.list({ uniqueKey, ...query });
  },

  /** @deprecated Use `functions.get`. */
  async getFunction(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ data: DeployedFunction }> {
    return await this.functions.get({ uniqueKey, name, ...query });
  },

  /** @deprecated Use `functions.getCode`. */
  async getFunctionCode(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ type: FunctionType; code: string }> {
    return await this.functions.getCode({ uniqueKey, name, ...query });
  },

  /** @deprecated Use `functions.listVersions`. */
  async listFunctionVersions(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ data: FunctionVersion[] }> {
    return await this.functions.listVersions({ uniqueKey, name, ...query });
  },

  /** @deprecated Use `functions.getVersionCode`. */
  async getFunctionVersionCode(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    id: number,
    query: { type?: FunctionType } = {},
  ): Promise<{ type: FunctionType; version: string; code: string }> {
    return await this.functions.getVersionCode({ uniqueKey, name, id, ...query });
  },

  /** @deprecated Use `functions.delete`. */
  async deleteFunction(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    type: "action" | "sync",
  ): Promise<{ data: Success }> {
    return await this.functions.delete({ uniqueKey, name, type });
  },

  /** @deprecated Use `functions.update`. */
  async updateFunction(
    this: Namespaces,
    uniqueKey: string,
    name: string,
    change: { enabled: boolean },
    query: { type?: FunctionType } = {},
  ): Promise<{ data: DeployedFunction }> {
    return await this.functions.update({ uniqueKey, name, ...query }, change);
  },
};

export type PositionalMethods = typeof positionalMethods;
