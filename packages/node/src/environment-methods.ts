import type {
  ChangedWebhookSettings,
  CreatedApiKey,
  CreatedEnvironment,
  Environment,
  EnvironmentChange,
  EnvironmentSettings,
  EnvironmentSettingsChange,
  EnvironmentVariable,
  ListedApiKey,
  NewEnvironment,
  Success,
  WebhookSettingsWithKeys,
} from "./api-types.ts";
import type { ApiKeyChange, NewApiKey, WebhookSettings } from "./management.ts";
import { UserMethods } from "./people/user-methods.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";

const KEYS = "/environment/api-keys";
const ACCOUNT_KEYS = "/account/api-keys";

/** What an environment is set to. Methods of environments themselves need a key of the account. */
export class EnvironmentMethods extends UserMethods {
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

  async getEnvironmentVariables(): Promise<EnvironmentVariable[]> {
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
