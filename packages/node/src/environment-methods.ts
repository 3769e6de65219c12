import type {
  AuditEvent,
  AuditHead,
  ChangedWebhookSettings,
  CreatedApiKey,
  CreatedEnvironment,
  CredentialReads,
  Environment,
  EnvironmentChange,
  EnvironmentSettings,
  EnvironmentSettingsChange,
  EnvironmentVariable,
  ListedApiKey,
  ListedEnvironmentVariable,
  NewEnvironment,
  Success,
  WebhookSettingsWithKeys,
  WebhookSigningKeys,
} from "./api-types/index.ts";
import type {
  ApiKeyChange,
  AuditQuery,
  CredentialReadsQuery,
  NewApiKey,
  WebhookSettings,
} from "./management.ts";
import { EndUserMethods } from "./people/end-user-methods.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";

const KEYS = "/environment/api-keys";
const ACCOUNT_KEYS = "/account/api-keys";

/** What an environment is set to. Methods of environments themselves need a key of the account. */
export class EnvironmentMethods extends EndUserMethods {
  async listEnvironments(): Promise<{ data: Environment[] }> {
    return await this.http.json({ method: "GET", path: "/environments" });
  }

  async createEnvironment(
    body: NewEnvironment,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedEnvironment }> {
    return await this.http.json({ ...options, method: "POST", path: "/environments", body });
  }

  /** With everything in it. */
  async deleteEnvironment(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/environments/${encode(id)}` });
  }

  /** Only what is sent changes. */
  async updateEnvironment(id: string, body: EnvironmentChange): Promise<{ data: Environment }> {
    return await this.http.json({ method: "PATCH", path: `/environments/${encode(id)}`, body });
  }

  /** The environment that the key belongs to. */
  async getEnvironment(): Promise<{ data: Environment }> {
    return await this.http.json({ method: "GET", path: "/environment" });
  }

  /** `environment_id` is for keys of the account. */
  async listApiKeys(query: { environment_id?: string } = {}): Promise<{ data: ListedApiKey[] }> {
    return await this.http.json({ method: "GET", path: KEYS, query });
  }

  /** Its secret is shown this once. */
  async createApiKey(
    body: NewApiKey & { environment_id?: string },
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedApiKey }> {
    return await this.http.json({ ...options, method: "POST", path: KEYS, body });
  }

  /** Only what is sent changes; `expires_at: null` is for a key that does not expire. */
  async updateApiKey(
    body: ApiKeyChange & { environment_id?: string },
  ): Promise<{ data: ListedApiKey }> {
    return await this.http.json({ method: "PATCH", path: KEYS, body });
  }

  async deleteApiKey(body: { key_id: string; environment_id?: string }): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: KEYS, body });
  }

  /** Who changed what, and what was refused, newest first; with a key of the account. */
  async listAuditEvents(
    query: AuditQuery = {},
  ): Promise<{ data: AuditEvent[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/audit", query: { ...query } });
  }

  /** The same as text, whole: JSON lines or CSV. */
  async exportAuditEvents(
    query: Omit<AuditQuery, "limit" | "cursor"> & { format?: "ndjson" | "csv" } = {},
  ): Promise<string> {
    const wanted = { method: "GET", path: "/audit/export", query: { ...query } } as const;
    return await (await this.http.send(wanted, {})).text();
  }

  /** How often keys have read the credentials of connections, by the minute, latest first. */
  async listCredentialReads(
    query: CredentialReadsQuery = {},
  ): Promise<{ data: CredentialReads[]; next_cursor: string | null }> {
    return await this.http.json({
      method: "GET",
      path: "/audit/credential-reads",
      query: { ...query },
    });
  }

  /** The last seal of the audit log, to be kept elsewhere. */
  async getAuditHead(): Promise<{ data: AuditHead }> {
    return await this.http.json({ method: "GET", path: "/audit/head" });
  }

  async listAccountApiKeys(): Promise<{ data: ListedApiKey[] }> {
    return await this.http.json({ method: "GET", path: ACCOUNT_KEYS });
  }

  /** Its secret is shown this once. */
  async createAccountApiKey(
    body: NewApiKey,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedApiKey }> {
    return await this.http.json({ ...options, method: "POST", path: ACCOUNT_KEYS, body });
  }

  async updateAccountApiKey(body: ApiKeyChange): Promise<{ data: ListedApiKey }> {
    return await this.http.json({ method: "PATCH", path: ACCOUNT_KEYS, body });
  }

  async deleteAccountApiKey(body: { key_id: string }): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: ACCOUNT_KEYS, body });
  }

  async getEnvironmentSettings(): Promise<{ data: EnvironmentSettings }> {
    return await this.http.json({ method: "GET", path: "/environment/settings" });
  }

  /** Only what is sent changes. */
  async updateEnvironmentSettings(
    body: EnvironmentSettingsChange,
  ): Promise<{ data: EnvironmentSettings }> {
    return await this.http.json({ method: "PATCH", path: "/environment/settings", body });
  }

  async getWebhookSettings(): Promise<{ data: WebhookSettingsWithKeys }> {
    return await this.http.json({ method: "GET", path: "/environment/webhooks" });
  }

  async updateWebhookSettings(
    body: Partial<WebhookSettings>,
  ): Promise<{ data: ChangedWebhookSettings }> {
    return await this.http.json({ method: "PATCH", path: "/environment/webhooks", body });
  }

  /** The old key signs next to the new one for 24 hours, or ends at once. */
  async rotateWebhookSigningKey(
    body: { immediate?: boolean } = {},
    options: ChangeOptions = {},
  ): Promise<{ data: { webhook_signing_key: string } }> {
    const path = "/environment/webhook-signing-key/rotate";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** The keys that sign webhooks; the key needs `environment:secrets:reveal`. */
  async revealWebhookSigningKeys(): Promise<{ data: WebhookSigningKeys }> {
    return await this.http.json({ method: "POST", path: "/environment/webhooks/reveal" });
  }

  /** The value of one variable; the key needs `environment:secrets:reveal`. */
  async revealEnvironmentVariable(name: string): Promise<{ data: EnvironmentVariable }> {
    return await this.http.json({ method: "POST", path: `${variablePath(name)}/reveal` });
  }

  /** Values are masked for a key without `environment:secrets:reveal`. */
  async getEnvironmentVariables(): Promise<ListedEnvironmentVariable[]> {
    return await this.http.json({ method: "GET", path: "/environment-variables" });
  }

  async setEnvironmentVariable({ name, value }: EnvironmentVariable): Promise<Success> {
    const path = variablePath(name);
    return await this.http.json({ method: "PUT", path, body: { value } });
  }

  async deleteEnvironmentVariable(name: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: variablePath(name) });
  }
}

function variablePath(name: string): string {
  return `/environment-variables/${encode(name)}`;
}
