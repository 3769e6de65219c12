import type {
  ApiDocument,
  GetIntegrationQuery,
  Integration,
  IntegrationChange,
  ListIntegrationsQuery,
  ListRateLimitsQuery,
  NewApiDocument,
  NewIntegration,
  RateLimit,
  RevealedField,
  Success,
} from "../api-types/index.ts";
import { encode, integrationPath } from "../calls/request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Providers as the environment uses them. */
export class Integrations extends Resource {
  /** Rate limits of providers as the server has learned them: what is left, and who waits. */
  async listRateLimits(query: ListRateLimitsQuery = {}): Promise<{ data: RateLimit[] }> {
    return await this.http.json({ method: "GET", path: "/rate-limits", query });
  }

  async list(
    query: ListIntegrationsQuery = {},
  ): Promise<{ configs: Integration[]; data: Integration[] }> {
    return await this.http.json({ method: "GET", path: "/integrations", query });
  }

  async get(
    { uniqueKey }: { uniqueKey: string },
    query: GetIntegrationQuery = {},
  ): Promise<{ data: Integration }> {
    return await this.http.json({ method: "GET", path: integrationPath(uniqueKey), query });
  }

  async create(body: NewIntegration, options: ChangeOptions = {}): Promise<{ data: Integration }> {
    return await this.http.json({ ...options, method: "POST", path: "/integrations", body });
  }

  async update(
    { uniqueKey }: { uniqueKey: string },
    body: IntegrationChange,
  ): Promise<{ data: Integration }> {
    return await this.http.json({ method: "PATCH", path: integrationPath(uniqueKey), body });
  }

  async delete(uniqueKey: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: integrationPath(uniqueKey) });
  }

  /** One field of an integration's own credentials, such as `client_secret`. */
  async revealField(uniqueKey: string, field: string): Promise<{ data: RevealedField }> {
    const path = `/integrations/${encode(uniqueKey)}/reveal`;
    return await this.http.json({ method: "POST", path, body: { field } });
  }

  /** The operations of its OpenAPI document that are tools of agents, and why others are not. */
  async getApiDocument(uniqueKey: string): Promise<{ data: ApiDocument }> {
    return await this.http.json({ method: "GET", path: documentPath(uniqueKey) });
  }

  /** Makes the operations of an OpenAPI document tools, in place of those of an earlier one. */
  async putApiDocument(uniqueKey: string, body: NewApiDocument): Promise<{ data: ApiDocument }> {
    return await this.http.json({ method: "PUT", path: documentPath(uniqueKey), body });
  }

  /** Its operations are tools no more. */
  async deleteApiDocument(uniqueKey: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: documentPath(uniqueKey) });
  }
}

function documentPath(uniqueKey: string): string {
  return `/integrations/${encode(uniqueKey)}/openapi`;
}
