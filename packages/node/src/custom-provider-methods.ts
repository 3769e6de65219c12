import type { CustomProvider, StageCount, Success } from "./api-types/index.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";
import type { ProviderEntry } from "./resources.ts";
import { SourceMethods } from "./source-methods.ts";

/** Providers of an environment's own. */
export class CustomProviderMethods extends SourceMethods {
  async listCustomProviders(): Promise<{ data: CustomProvider[] }> {
    return await this.http.json({ method: "GET", path: "/custom-providers" });
  }

  async getCustomProvider(slug: string): Promise<{ data: CustomProvider }> {
    return await this.http.json({ method: "GET", path: customProviderPath(slug) });
  }

  async createCustomProvider(
    body: { entry: ProviderEntry; replaces_built_in?: boolean },
    options: ChangeOptions = {},
  ): Promise<{ data: CustomProvider }> {
    return await this.http.json({ ...options, method: "POST", path: "/custom-providers", body });
  }

  async updateCustomProvider(
    slug: string,
    body: { entry: ProviderEntry },
  ): Promise<{ data: CustomProvider }> {
    return await this.http.json({ method: "PATCH", path: customProviderPath(slug), body });
  }

  async deleteCustomProvider(slug: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: customProviderPath(slug) });
  }

  /** Checks an entry, or a file as YAML, without keeping it. */
  async validateProvider(
    body: { entry: ProviderEntry } | { file: string },
  ): Promise<{ data: { valid: boolean; providers: string[]; faults: string[] } }> {
    return await this.http.json({ method: "POST", path: "/providers/validate", body });
  }

  /** How often each stage of connecting succeeded and failed, by day; `from` and `to` are days of UTC. */
  async listProviderStages(
    query: { provider?: string; from?: string; to?: string } = {},
  ): Promise<{ data: StageCount[] }> {
    return await this.http.json({ method: "GET", path: "/provider-stages", query });
  }
}

function customProviderPath(slug: string): string {
  return `/custom-providers/${encode(slug)}`;
}
