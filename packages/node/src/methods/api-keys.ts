import type {
  CreatedApiKey,
  KeyReplacement,
  ListApiKeysQuery,
  ListedApiKey,
  ReplacedApiKey,
  Success,
} from "../api-types/index.ts";
import type { ApiKeyChange, NewApiKey } from "../management.ts";
import type { ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

const KEYS = "/environment/api-keys";
const ACCOUNT_KEYS = "/account/api-keys";

/** Keys of environments. */
export class ApiKeys extends Resource {
  /** `environment_id` is for keys of the account. */
  async list(query: ListApiKeysQuery = {}): Promise<{ data: ListedApiKey[] }> {
    return await this.http.json({ method: "GET", path: KEYS, query });
  }

  /** Its secret is shown this once. */
  async create(
    body: NewApiKey & { environment_id?: string },
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedApiKey }> {
    return await this.http.json({ ...options, method: "POST", path: KEYS, body });
  }

  /** Only what is sent changes; `expires_at: null` is for a key that does not expire. */
  async update(body: ApiKeyChange & { environment_id?: string }): Promise<{ data: ListedApiKey }> {
    return await this.http.json({ method: "PATCH", path: KEYS, body });
  }

  async delete(body: { key_id: string; environment_id?: string }): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: KEYS, body });
  }

  /** New keys in the place of those named; their secrets are shown this once. `grace_seconds`: how long the old ones still work. */
  async replace(
    body: KeyReplacement,
    options: ChangeOptions = {},
  ): Promise<{ data: ReplacedApiKey[] }> {
    return await this.http.json({ ...options, method: "POST", path: `${KEYS}/replace`, body });
  }
}

/** Keys of the account. */
export class AccountApiKeys extends Resource {
  async list(): Promise<{ data: ListedApiKey[] }> {
    return await this.http.json({ method: "GET", path: ACCOUNT_KEYS });
  }

  /** Its secret is shown this once. */
  async create(body: NewApiKey, options: ChangeOptions = {}): Promise<{ data: CreatedApiKey }> {
    return await this.http.json({ ...options, method: "POST", path: ACCOUNT_KEYS, body });
  }

  async update(body: ApiKeyChange): Promise<{ data: ListedApiKey }> {
    return await this.http.json({ method: "PATCH", path: ACCOUNT_KEYS, body });
  }

  async delete(body: { key_id: string }): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: ACCOUNT_KEYS, body });
  }

  /** New keys in the place of those named; their secrets are shown this once. `grace_seconds`: how long the old ones still work. */
  async replace(
    body: Omit<KeyReplacement, "environment_id">,
    options: ChangeOptions = {},
  ): Promise<{ data: ReplacedApiKey[] }> {
    const path = `${ACCOUNT_KEYS}/replace`;
    return await this.http.json({ ...options, method: "POST", path, body });
  }
}
