import type {
  AsyncAction,
  Connection,
  ConnectionChange,
  ConnectionCounts,
  ConnectionCredentials,
  ConnectSession,
  ListedConnectSession,
  MetadataChange,
  NewConnection,
  NewConnectSession,
  NewReconnectSession,
  ProviderAnswer,
  ProviderRequest,
  Success,
} from "./api-types/index.ts";
import { callProvider } from "./call-provider.ts";
import { HttpClient } from "./http.ts";
import { JackfieldError } from "./jackfield-error.ts";
import { encode, headersOf } from "./request-parts.ts";
import type {
  ChangeOptions,
  ConnectionFilter,
  ProxyConfiguration,
  RecordPrune,
  RecordQuery,
  WaitOptions,
} from "./requests.ts";
import type { ConnectResult, Metadata, ProviderResponse, RecordPage } from "./resources.ts";
import { SyncMethods } from "./sync-methods.ts";
import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookOptions,
} from "./verify-webhook.ts";
import { waitFor, waitForConnection } from "./wait-for.ts";
import type { WebhookEvent } from "./webhook-events.ts";

export interface JackfieldOptions {
  /** Key of an environment. */
  readonly apiKey?: string;
  /** @deprecated Use `apiKey`. */
  readonly secretKey?: string;
  /** Address of the server; `http://127.0.0.1:3003` unless said. */
  readonly host?: string;
  /** `whsec_…` of the environment, for verifyWebhook. */
  readonly webhookSigningKey?: string;
}

type ProxyCall = Omit<ProxyConfiguration, "method">;

/** One environment of a Jackfield installation. Every method throws JackfieldError when its call fails. */
export class Jackfield extends SyncMethods {
  readonly #webhookSigningKey: string | undefined;

  constructor(options: JackfieldOptions) {
    const { host = "http://127.0.0.1:3003", webhookSigningKey } = options;
    const apiKey = options.apiKey ?? options.secretKey;
    if (apiKey === undefined || apiKey === "") {
      const message = "Pass the key of an environment as `apiKey`.";
      throw new JackfieldError({ code: "missing_api_key", message });
    }
    super(new HttpClient(host, apiKey));
    this.#webhookSigningKey = webhookSigningKey;
  }

  // Connections

  /** Newest first unless the filter says otherwise; `next_cursor` is null at the end. */
  async listConnections(
    filter: ConnectionFilter = {},
  ): Promise<{ connections: Connection[]; next_cursor: string | null }> {
    const { integrationId, cursor, ...rest } = filter;
    const query = {
      ...rest,
      integrationId: integrationId && [integrationId].flat().join(","),
      cursor: cursor ?? undefined,
    };
    return await this.http.json({ method: "GET", path: "/connections", query });
  }

  /** How many there are, by state and by integration. */
  async countConnections(
    filter: Pick<ConnectionFilter, "integrationId"> = {},
  ): Promise<{ data: ConnectionCounts }> {
    const { integrationId } = filter;
    const query = { integrationId: integrationId && [integrationId].flat().join(",") };
    return await this.http.json({ method: "GET", path: "/connections/count", query });
  }

  /** Refreshes its token now; `refreshed` is false where there is nothing to refresh. */
  async refreshConnection(
    providerConfigKey: string,
    connectionId: string,
  ): Promise<{ refreshed: boolean; data: Connection }> {
    const path = `${connectionPath(connectionId)}/refresh`;
    const query = { provider_config_key: providerConfigKey };
    return await this.http.json({ method: "POST", path, query });
  }

  /** With credentials, fresh, when the key may read them. */
  async getConnection(
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
    refreshToken = false,
  ): Promise<Connection> {
    const query = {
      provider_config_key: providerConfigKey,
      force_refresh: forceRefresh || undefined,
      refresh_token: refreshToken || undefined,
    };
    return await this.http.json({ method: "GET", path: connectionPath(connectionId), query });
  }

  async importConnection(body: NewConnection, options: ChangeOptions = {}): Promise<Connection> {
    return await this.http.json({ ...options, method: "POST", path: "/connections", body });
  }

  async patchConnection(
    target: { connectionId: string; provider_config_key: string },
    body: ConnectionChange,
  ): Promise<Success> {
    const path = connectionPath(target.connectionId);
    const query = { provider_config_key: target.provider_config_key };
    return await this.http.json({ method: "PATCH", path, query, body });
  }

  /** Merges values into the connection's configuration and gives all of it; an empty text removes one. */
  async updateConnectionConfig(
    providerConfigKey: string,
    connectionId: string,
    config: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    const path = `/connection/${encode(connectionId)}/config`;
    const headers = { "provider-config-key": providerConfigKey };
    return await this.http.json({ method: "PATCH", path, headers, body: config });
  }

  async deleteConnection(providerConfigKey: string, connectionId: string): Promise<Success> {
    const path = connectionPath(connectionId);
    const query = { provider_config_key: providerConfigKey };
    return await this.http.json({ method: "DELETE", path, query });
  }

  /** The access token; the whole credentials where an authorisation mode has more than one value. */
  async getToken(
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
  ): Promise<string | ConnectionCredentials> {
    const connection = await this.getConnection(providerConfigKey, connectionId, forceRefresh);
    const { credentials } = connection;
    if (credentials === undefined) {
      const message =
        "The API key may not read credentials: it needs environment:connections:read_credentials.";
      throw new JackfieldError({ code: "forbidden", message });
    }
    for (const name of ["access_token", "token"] as const) {
      const token = credentials[name];
      if (typeof token === "string") return token;
    }
    return credentials;
  }

  /** What the provider's token endpoint answered. */
  async getRawTokenResponse(
    providerConfigKey: string,
    connectionId: string,
    forceRefresh = false,
  ): Promise<unknown> {
    const connection = await this.getConnection(providerConfigKey, connectionId, forceRefresh);
    return connection.credentials?.["raw"];
  }

  async getMetadata(providerConfigKey: string, connectionId: string): Promise<Metadata> {
    return (await this.getConnection(providerConfigKey, connectionId)).metadata ?? {};
  }

  async setMetadata(
    providerConfigKey: string,
    connectionId: string | string[],
    metadata: Metadata,
  ): Promise<MetadataChange> {
    const body = { provider_config_key: providerConfigKey, connection_id: connectionId, metadata };
    return await this.http.json({ method: "POST", path: "/connections/metadata", body });
  }

  /** Merges the first level. */
  async updateMetadata(
    providerConfigKey: string,
    connectionId: string | string[],
    metadata: Metadata,
  ): Promise<MetadataChange> {
    const body = { provider_config_key: providerConfigKey, connection_id: connectionId, metadata };
    return await this.http.json({ method: "PATCH", path: "/connections/metadata", body });
  }

  // Connect sessions

  async createConnectSession(
    body: NewConnectSession = {},
    options: ChangeOptions = {},
  ): Promise<{ data: ConnectSession }> {
    return await this.http.json({ ...options, method: "POST", path: "/connect/sessions", body });
  }

  async createReconnectSession(
    body: NewReconnectSession,
    options: ChangeOptions = {},
  ): Promise<{ data: ConnectSession }> {
    const path = "/connect/sessions/reconnect";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** Newest first; those that have ended are kept for 31 days. */
  async listConnectSessions(
    query: { is_open?: boolean; limit?: number; cursor?: string } = {},
  ): Promise<{ data: ListedConnectSession[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/connect/sessions", query });
  }

  /** Its token stops working; its connections stay. */
  async endConnectSession(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/connect/sessions/${encode(id)}` });
  }

  /** The connection that the session with this token makes. */
  async waitForConnection(sessionToken: string, options: WaitOptions = {}): Promise<ConnectResult> {
    return await waitForConnection(this.http, sessionToken, options);
  }

  // Records

  async listRecords<Model extends object>(query: RecordQuery): Promise<RecordPage<Model>> {
    const { providerConfigKey, connectionId, modifiedAfter, filter, ...rest } = query;
    return await this.http.json({
      method: "GET",
      path: "/records",
      headers: headersOf(providerConfigKey, connectionId),
      query: { ...rest, modified_after: modifiedAfter, filter: filter?.join(",") },
    });
  }

  /** Page after page to the end, from `cursor` or the first record. */
  async *recordPages<Model extends object>(query: RecordQuery): AsyncGenerator<RecordPage<Model>> {
    let cursor = query.cursor ?? null;
    do {
      const page = await this.listRecords<Model>({ ...query, cursor });
      yield page;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Empties payloads up to a cursor; call again while `has_more`. */
  async pruneRecords(prune: RecordPrune): Promise<{ count: number; has_more: boolean }> {
    const { providerConfigKey, connectionId, untilCursor, ...rest } = prune;
    return await this.http.json({
      method: "PATCH",
      path: "/records/prune",
      headers: headersOf(providerConfigKey, connectionId),
      body: { ...rest, until_cursor: untilCursor },
    });
  }

  // Actions

  /** Runs an action and resolves to its output. */
  async triggerAction<Output>(
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: unknown,
    options: ChangeOptions = {},
  ): Promise<Output> {
    return await this.http.json({
      ...options,
      method: "POST",
      path: "/action/trigger",
      headers: headersOf(providerConfigKey, connectionId),
      body: { action_name: actionName, input },
    });
  }

  /** Queues an action; its result comes from getAsyncActionResult, or by webhook. */
  async triggerActionAsync(
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: unknown,
    { maxRetries = 0, ...options }: ChangeOptions & { maxRetries?: number } = {},
  ): Promise<AsyncAction> {
    const asked = { "x-async": "true", "x-max-retries": String(maxRetries) };
    return await this.http.json({
      ...options,
      method: "POST",
      path: "/action/trigger",
      headers: { ...headersOf(providerConfigKey, connectionId), ...asked },
      body: { action_name: actionName, input },
    });
  }

  /** The output; while there is none yet, waits for up to `waitFor` milliseconds (none unless said). */
  async getAsyncActionResult<Output>(
    action: Partial<AsyncAction>,
    options: { waitFor?: number; signal?: AbortSignal } = {},
  ): Promise<Output> {
    const path = action.statusUrl ?? `/action/${encode(action.id ?? "")}`;
    const { waitFor: timeout = 0, signal } = options;
    const end = Date.now() + timeout;
    const { output } = await waitFor(
      async () => {
        try {
          return { output: await this.http.json<Output>({ method: "GET", path, signal }) };
        } catch (error) {
          if (Date.now() >= end || !isPending(error)) throw error;
          return undefined;
        }
      },
      { timeout, ...(signal === undefined ? {} : { signal }) },
    );
    return output;
  }

  // Provider calls, webhooks

  /** A call to the provider's API; `provider_error` with the answer when the provider refuses. */
  async proxy<Data>(config: ProxyConfiguration): Promise<ProviderResponse<Data>> {
    return await callProvider(this.http, config);
  }

  /** The same with the call and its answer as data: any status of the provider is an answer. Up to 2 MiB. */
  async sendProxyRequest(
    body: ProviderRequest,
    options: ChangeOptions = {},
  ): Promise<{ data: ProviderAnswer }> {
    return await this.http.json({ ...options, method: "POST", path: "/proxy-requests", body });
  }

  async get<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "GET" });
  }

  async post<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "POST" });
  }

  async put<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "PUT" });
  }

  async patch<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "PATCH" });
  }

  async delete<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "DELETE" });
  }

  /**
   * The event of a webhook that the server sent, at most five minutes ago. `body` is text or bytes as received.
   * Throws JackfieldError, whose code tells what is wrong (`webhook_signature_mismatch`, …).
   */
  async verifyWebhook(
    body: ReceivedWebhook["body"],
    headers: WebhookHeaders,
    options: Partial<WebhookOptions> = {},
  ): Promise<WebhookEvent> {
    const signingKey = options.signingKey ?? this.#webhookSigningKey;
    if (signingKey === undefined || signingKey === "") {
      const message = "Pass `webhookSigningKey` to the client to verify webhooks.";
      throw new JackfieldError({ code: "missing_webhook_signing_key", message });
    }
    return await verifyWebhook({ ...options, body, headers, signingKey });
  }

  /** @deprecated Use verifyWebhook, which returns the event. Throws like it; true otherwise. */
  async verifyIncomingWebhookRequest(
    body: ReceivedWebhook["body"],
    headers: WebhookHeaders,
    options: Partial<WebhookOptions> = {},
  ): Promise<true> {
    await this.verifyWebhook(body, headers, options);
    return true;
  }
}

function connectionPath(connectionId: string): string {
  return `/connections/${encode(connectionId)}`;
}

/** A pending result says when to ask again; an unknown one does not. */
function isPending(error: unknown): boolean {
  if (!(error instanceof JackfieldError)) return false;
  return error.status === 404 && error.retryAfter !== undefined;
}
