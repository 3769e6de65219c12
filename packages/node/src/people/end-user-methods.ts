import type {
  BulkJob,
  ConnectLink,
  CreatedConnectLink,
  Diagnosis,
  Erasure,
  InstallationStatus,
  NewBulkJob,
  NewConnectLink,
  RevealedField,
} from "../api-types/index.ts";
import { encode } from "../request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { UserMethods } from "./user-methods.ts";

/** Erasing what belongs to end users, and how the installation does. */
export class EndUserMethods extends UserMethods {
  /** Begins to erase what belongs to an end user; `getErasure` says when it is done. */
  async eraseEndUser(endUserId: string): Promise<{ data: Erasure }> {
    return await this.http.json({ method: "DELETE", path: `/end-users/${encode(endUserId)}` });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listErasures(
    query: { end_user_id?: string; limit?: number; cursor?: string } = {},
  ): Promise<{ data: Erasure[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/erasures", query });
  }

  /** Tries each part of the way to the connection's provider, and says what to do. */
  async diagnoseConnection(
    providerConfigKey: string,
    connectionId: string,
  ): Promise<{ data: Diagnosis }> {
    const path = `/connections/${encode(connectionId)}/diagnose`;
    const query = { provider_config_key: providerConfigKey };
    return await this.http.json({ method: "POST", path, query });
  }

  /** A link by which an end user begins a session; its address is shown only now. */
  async createConnectLink(
    body: NewConnectLink,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedConnectLink }> {
    return await this.http.json({ ...options, method: "POST", path: "/connect/links", body });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listConnectLinks(
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: ConnectLink[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/connect/links", query });
  }

  /** It stops working at once. */
  async revokeConnectLink(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/connect/links/${encode(id)}` });
  }

  /** One action to many connections or syncs; `job` is null for a dry run. */
  async startBulkJob(
    body: NewBulkJob,
    options: ChangeOptions = {},
  ): Promise<{ data: { matched: number; job: BulkJob | null } }> {
    return await this.http.json({ ...options, method: "POST", path: "/bulk", body });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listBulkJobs(
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: BulkJob[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/bulk", query });
  }

  async getBulkJob(id: string): Promise<{ data: BulkJob }> {
    return await this.http.json({ method: "GET", path: `/bulk/${encode(id)}` });
  }

  /** What it has done stays done. */
  async stopBulkJob(id: string): Promise<{ data: BulkJob }> {
    return await this.http.json({ method: "DELETE", path: `/bulk/${encode(id)}` });
  }

  /** One field of a connection's credentials, as stored. */
  async revealConnectionField(
    providerConfigKey: string,
    connectionId: string,
    field: string,
  ): Promise<{ data: RevealedField }> {
    const path = `/connections/${encode(connectionId)}/reveal`;
    const query = { provider_config_key: providerConfigKey };
    return await this.http.json({ method: "POST", path, query, body: { field } });
  }

  /** One field of an integration's own credentials, such as `client_secret`. */
  async revealIntegrationField(uniqueKey: string, field: string): Promise<{ data: RevealedField }> {
    const path = `/integrations/${encode(uniqueKey)}/reveal`;
    return await this.http.json({ method: "POST", path, body: { field } });
  }

  /** Workers, queues, database, disk, keys; needs a key of the account. */
  async getInstallation(): Promise<{ data: InstallationStatus }> {
    return await this.http.json({ method: "GET", path: "/installation" });
  }

  async getErasure(id: string): Promise<{ data: Erasure }> {
    return await this.http.json({ method: "GET", path: `/erasures/${encode(id)}` });
  }
}
