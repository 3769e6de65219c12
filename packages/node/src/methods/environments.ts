import type {
  CreatedEnvironment,
  Environment,
  EnvironmentChange,
  EnvironmentSettings,
  EnvironmentSettingsChange,
  EnvironmentVariable,
  ListedEnvironmentVariable,
  NewEnvironment,
  SettingChange,
  Success,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Environments of the account; with a key of the account. */
export class Environments extends Resource {
  async list(): Promise<{ data: Environment[] }> {
    return await this.http.json({ method: "GET", path: "/environments" });
  }

  async create(
    body: NewEnvironment,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedEnvironment }> {
    return await this.http.json({ ...options, method: "POST", path: "/environments", body });
  }

  /** Only what is sent changes. */
  async update(id: string, body: EnvironmentChange): Promise<{ data: Environment }> {
    return await this.http.json({ method: "PATCH", path: `/environments/${encode(id)}`, body });
  }

  /** With everything in it. */
  async delete(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/environments/${encode(id)}` });
  }
}

/** The environment that the key belongs to. */
export class EnvironmentOfKey extends Resource {
  /** The environment that the key belongs to. */
  async get(): Promise<{ data: Environment }> {
    return await this.http.json({ method: "GET", path: "/environment" });
  }

  async getSettings(): Promise<{ data: EnvironmentSettings }> {
    return await this.http.json({ method: "GET", path: "/environment/settings" });
  }

  /** Who changed each setting last, and when, the newest first. */
  async listSettingChanges(): Promise<{ data: SettingChange[] }> {
    return await this.http.json({ method: "GET", path: "/environment/settings/changes" });
  }

  /** Only what is sent changes. */
  async updateSettings(body: EnvironmentSettingsChange): Promise<{ data: EnvironmentSettings }> {
    return await this.http.json({ method: "PATCH", path: "/environment/settings", body });
  }
}

/** Variables of the environment. */
export class Variables extends Resource {
  /** Values are masked for a key without `environment:secrets:reveal`. */
  async list(): Promise<ListedEnvironmentVariable[]> {
    return await this.http.json({ method: "GET", path: "/environment-variables" });
  }

  async set({ name, value }: EnvironmentVariable): Promise<Success> {
    const path = variablePath(name);
    return await this.http.json({ method: "PUT", path, body: { value } });
  }

  async delete(name: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: variablePath(name) });
  }

  /** The value of one variable; the key needs `environment:secrets:reveal`. */
  async reveal(name: string): Promise<{ data: EnvironmentVariable }> {
    return await this.http.json({ method: "POST", path: `${variablePath(name)}/reveal` });
  }
}

function variablePath(name: string): string {
  return `/environment-variables/${encode(name)}`;
}
