import type {
  CustomProvider,
  ListProviderStagesQuery,
  ListProvidersQuery,
  Provider,
  ProviderSummary,
  StageCount,
  Success,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import type { ProviderEntry } from "../resources.ts";
import { Resource } from "./resource.ts";

/** Providers of the catalogue. */
export class Providers extends Resource {
  async list(
    query: ListProvidersQuery & { fields: "summary" },
  ): Promise<{ data: ProviderSummary[] }>;
  async list(query?: ListProvidersQuery & { fields?: "all" }): Promise<{ data: Provider[] }>;
  async list(query: ListProvidersQuery = {}): Promise<{ data: Provider[] | ProviderSummary[] }> {
    return await this.http.json({ method: "GET", path: "/providers", query });
  }

  async get({ provider }: { provider: string }): Promise<{ data: Provider }> {
    return await this.http.json({ method: "GET", path: `/providers/${encode(provider)}` });
  }

  /** Checks an entry, or a file as YAML, without keeping it. */
  async validate(
    body: { entry: ProviderEntry } | { file: string },
  ): Promise<{ data: { valid: boolean; providers: string[]; faults: string[] } }> {
    return await this.http.json({ method: "POST", path: "/providers/validate", body });
  }

  /** How often each stage of connecting succeeded and failed, by day; `from` and `to` are days of UTC. */
  async listStages(query: ListProviderStagesQuery = {}): Promise<{ data: StageCount[] }> {
    return await this.http.json({ method: "GET", path: "/provider-stages", query });
  }
}

/** Providers of the environment itself. */
export class CustomProviders extends Resource {
  async list(): Promise<{ data: CustomProvider[] }> {
    return await this.http.json({ method: "GET", path: "/custom-providers" });
  }

  async get(slug: string): Promise<{ data: CustomProvider }> {
    return await this.http.json({ method: "GET", path: customProviderPath(slug) });
  }

  async create(
    body: { entry: ProviderEntry; replaces_built_in?: boolean },
    options: ChangeOptions = {},
  ): Promise<{ data: CustomProvider }> {
    return await this.http.json({ ...options, method: "POST", path: "/custom-providers", body });
  }

  async update(slug: string, body: { entry: ProviderEntry }): Promise<{ data: CustomProvider }> {
    return await this.http.json({ method: "PATCH", path: customProviderPath(slug), body });
  }

  async delete(slug: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: customProviderPath(slug) });
  }
}

function customProviderPath(slug: string): string {
  return `/custom-providers/${encode(slug)}`;
}
