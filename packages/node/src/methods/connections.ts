import type {
  Connection,
  ConnectionChange,
  ConnectionCounts,
  ConnectionCredentials,
  ConnectionUse,
  CredentialSummary,
  Diagnosis,
  ListConnectionUsesQuery,
  MetadataChange,
  NewConnection,
  RevealedField,
  Success,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { JackfieldError } from "../jackfield-error.ts";
import type {
  ChangeOptions,
  ConnectionFilter,
  ConnectionRead,
  ConnectionTarget,
  ConnectionTargets,
} from "../requests.ts";
import type { Metadata } from "../resources.ts";
import { Resource } from "./resource.ts";

/** Connections: the credentials of end users, and what is kept with them. */
export class Connections extends Resource {
  /** Newest first unless the filter says otherwise; `next_cursor` is null at the end. */
  async list(
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
  async count(
    filter: Pick<ConnectionFilter, "integrationId"> = {},
  ): Promise<{ data: ConnectionCounts }> {
    const { integrationId } = filter;
    const query = { integrationId: integrationId && [integrationId].flat().join(",") };
    return await this.http.json({ method: "GET", path: "/connections/count", query });
  }

  /** With credentials, fresh, when the key may read them. */
  async get({ forceRefresh, refreshToken, ...target }: ConnectionRead): Promise<Connection> {
    const query = {
      ...queryOf(target),
      force_refresh: forceRefresh || undefined,
      refresh_token: refreshToken || undefined,
    };
    return await this.http.json({ method: "GET", path: pathOf(target), query });
  }

  async import(body: NewConnection, options: ChangeOptions = {}): Promise<Connection> {
    return await this.http.json({ ...options, method: "POST", path: "/connections", body });
  }

  async update(target: ConnectionTarget, body: ConnectionChange): Promise<Success> {
    const query = queryOf(target);
    return await this.http.json({ method: "PATCH", path: pathOf(target), query, body });
  }

  /** Merges values into the connection's configuration and gives all of it; an empty text removes one. */
  async updateConfig(
    { providerConfigKey, connectionId }: ConnectionTarget,
    config: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    const path = `/connection/${encode(connectionId)}/config`;
    const headers = { "provider-config-key": providerConfigKey };
    return await this.http.json({ method: "PATCH", path, headers, body: config });
  }

  async delete(target: ConnectionTarget): Promise<Success> {
    const query = queryOf(target);
    return await this.http.json({ method: "DELETE", path: pathOf(target), query });
  }

  /** Refreshes its token now; `refreshed` is false where there is nothing to refresh. */
  async refresh(target: ConnectionTarget): Promise<{ refreshed: boolean; data: Connection }> {
    const path = `${pathOf(target)}/refresh`;
    return await this.http.json({ method: "POST", path, query: queryOf(target) });
  }

  /** The access token; the whole credentials where an authorization mode has more than one value. */
  async getToken(read: ConnectionRead): Promise<string | ConnectionCredentials> {
    const { credentials } = await this.get(read);
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
  async getRawTokenResponse(read: ConnectionRead): Promise<unknown> {
    return (await this.get(read)).credentials?.["raw"];
  }

  async getMetadata(target: ConnectionTarget): Promise<Metadata> {
    return (await this.get(target)).metadata ?? {};
  }

  async setMetadata(targets: ConnectionTargets, metadata: Metadata): Promise<MetadataChange> {
    const { providerConfigKey, connectionId } = targets;
    const body = { provider_config_key: providerConfigKey, connection_id: connectionId, metadata };
    return await this.http.json({ method: "POST", path: "/connections/metadata", body });
  }

  /** Merges the first level. */
  async updateMetadata(targets: ConnectionTargets, metadata: Metadata): Promise<MetadataChange> {
    const { providerConfigKey, connectionId } = targets;
    const body = { provider_config_key: providerConfigKey, connection_id: connectionId, metadata };
    return await this.http.json({ method: "PATCH", path: "/connections/metadata", body });
  }

  /** Tries each part of the way to the connection's provider, and says what to do. */
  async diagnose(target: ConnectionTarget): Promise<{ data: Diagnosis }> {
    const path = `${pathOf(target)}/diagnose`;
    return await this.http.json({ method: "POST", path, query: queryOf(target) });
  }

  /** Who has used or read the connection's credentials, the latest first; `next_cursor` is null at the end. */
  async uses({
    limit,
    cursor,
    ...target
  }: ConnectionTarget & Omit<ListConnectionUsesQuery, "provider_config_key">): Promise<{
    data: ConnectionUse[];
    next_cursor: string | null;
  }> {
    const query = { ...queryOf(target), limit, cursor };
    return await this.http.json({ method: "GET", path: `${pathOf(target)}/uses`, query });
  }

  /** What the connection's credentials consist of and allow, without their values. */
  async getCredentialSummary(target: ConnectionTarget): Promise<{ data: CredentialSummary }> {
    const path = `${pathOf(target)}/credential-summary`;
    return await this.http.json({ method: "GET", path, query: queryOf(target) });
  }

  /** One field of a connection's credentials, as stored. */
  async revealField({
    field,
    ...target
  }: ConnectionTarget & { readonly field: string }): Promise<{ data: RevealedField }> {
    const path = `${pathOf(target)}/reveal`;
    return await this.http.json({ method: "POST", path, query: queryOf(target), body: { field } });
  }
}

function pathOf({ connectionId }: ConnectionTarget): string {
  return `/connections/${encode(connectionId)}`;
}

function queryOf({ providerConfigKey }: ConnectionTarget): { provider_config_key: string } {
  return { provider_config_key: providerConfigKey };
}
