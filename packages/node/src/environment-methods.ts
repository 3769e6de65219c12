import type { HttpClient } from "./http.ts";
import type {
  ApiKey,
  ChangedWebhookSettings,
  CreatedEnvironment,
  Environment,
  EnvironmentSettings,
  EnvironmentSettingsChange,
  NewEnvironment,
  WebhookSettings,
  WebhookSettingsWithKeys,
} from "./management.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";
import type { EnvironmentVariable, Success } from "./resources.ts";

/** What an environment is set to. Methods of environments themselves need a key of the account. */
export class EnvironmentMethods {
  protected readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

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

  /** `environment_id` is for keys of the account. */
  async listApiKeys(
    query: { environment_id?: string } = {},
  ): Promise<{ data: (ApiKey & { last_used_at: string | null })[] }> {
    return await this.http.json({ method: "GET", path: "/environment/api-keys", query });
  }

  /** Its secret is shown this once. */
  async createApiKey(
    body: { display_name: string; scopes?: string[]; environment_id?: string },
    options: ChangeOptions = {},
  ): Promise<{ data: ApiKey & { secret: string } }> {
    const path = "/environment/api-keys";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  async deleteApiKey(body: { key_id: string; environment_id?: string }): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: "/environment/api-keys", body });
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
