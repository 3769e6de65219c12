import type {
  AgentTools,
  DeployedFunction,
  FunctionPage,
  FunctionType,
  FunctionVersion,
  Integration,
  IntegrationChange,
  ListedFunction,
  NewIntegration,
  PastDeployment,
  Provider,
  ProviderSummary,
  Success,
} from "./api-types/index.ts";
import { CustomProviderMethods } from "./custom-provider-methods.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions, FunctionFilter, FunctionQuery } from "./requests.ts";

/** What an environment has, apart from its connections: integrations and their functions. */
export class IntegrationMethods extends CustomProviderMethods {
  // Providers and integrations

  async listProviders(query: {
    search?: string;
    fields: "summary";
  }): Promise<{ data: ProviderSummary[] }>;
  async listProviders(query?: { search?: string; fields?: "all" }): Promise<{ data: Provider[] }>;
  async listProviders(
    query: { search?: string; fields?: "all" | "summary" } = {},
  ): Promise<{ data: Provider[] | ProviderSummary[] }> {
    return await this.http.json({ method: "GET", path: "/providers", query });
  }

  async getProvider({ provider }: { provider: string }): Promise<{ data: Provider }> {
    return await this.http.json({ method: "GET", path: `/providers/${encode(provider)}` });
  }

  async listIntegrations(): Promise<{ configs: Integration[]; data: Integration[] }> {
    return await this.http.json({ method: "GET", path: "/integrations" });
  }

  async getIntegration(
    { uniqueKey }: { uniqueKey: string },
    query: { include?: readonly ("webhook" | "credentials")[] } = {},
  ): Promise<{ data: Integration }> {
    return await this.http.json({ method: "GET", path: integrationPath(uniqueKey), query });
  }

  async createIntegration(
    body: NewIntegration,
    options: ChangeOptions = {},
  ): Promise<{ data: Integration }> {
    return await this.http.json({ ...options, method: "POST", path: "/integrations", body });
  }

  async updateIntegration(
    { uniqueKey }: { uniqueKey: string },
    body: IntegrationChange,
  ): Promise<{ data: Integration }> {
    return await this.http.json({ method: "PATCH", path: integrationPath(uniqueKey), body });
  }

  async deleteIntegration(uniqueKey: string): Promise<Success> {
    return await this.http.json({ method: "DELETE", path: integrationPath(uniqueKey) });
  }

  // Functions

  async listFunctions(uniqueKey: string, query: FunctionQuery = {}): Promise<FunctionPage> {
    const path = `${integrationPath(uniqueKey)}/functions`;
    return await this.http.json({ method: "GET", path, query: { ...query } });
  }

  async getFunction(
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ data: DeployedFunction }> {
    return await this.http.json({ method: "GET", path: functionPath(uniqueKey, name), query });
  }

  async getFunctionCode(
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ type: FunctionType; code: string }> {
    const path = `${functionPath(uniqueKey, name)}/code`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** Of all integrations, newest first, with how they ran lately; `next_cursor` is null at the end. */
  async listAllFunctions(
    filter: FunctionFilter = {},
  ): Promise<{ data: ListedFunction[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/functions", query: { ...filter } });
  }

  /** Newest first; at most 20 are kept. */
  async listFunctionVersions(
    uniqueKey: string,
    name: string,
    query: { type?: FunctionType } = {},
  ): Promise<{ data: FunctionVersion[] }> {
    const path = `${functionPath(uniqueKey, name)}/versions`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** The source of the version with this `id`. */
  async getFunctionVersionCode(
    uniqueKey: string,
    name: string,
    id: number,
    query: { type?: FunctionType } = {},
  ): Promise<{ type: FunctionType; version: string; code: string }> {
    const path = `${functionPath(uniqueKey, name)}/versions/${id}/code`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** Of every way of deploying, newest first; `next_cursor` is null at the end. */
  async listPastDeployments(
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: PastDeployment[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/deployments", query });
  }

  /** Makes the functions that a deployment has changed what they were before it. */
  async rollBackDeployment(
    id: string,
    options: ChangeOptions = {},
  ): Promise<{ data: PastDeployment }> {
    const path = `/deployments/${encode(id)}/rollback`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  async deleteFunction(
    uniqueKey: string,
    name: string,
    type: "action" | "sync",
  ): Promise<{ data: Success }> {
    const path = functionPath(uniqueKey, name);
    return await this.http.json({ method: "DELETE", path, query: { type } });
  }

  /** A disabled function is neither run nor triggered. */
  async updateFunction(
    uniqueKey: string,
    name: string,
    change: { enabled: boolean },
    query: { type?: FunctionType } = {},
  ): Promise<{ data: DeployedFunction }> {
    const path = functionPath(uniqueKey, name);
    return await this.http.json({ method: "PATCH", path, query, body: change });
  }

  /**
   * What is deployed: an array, or `{data}` in the form of function calling; with `tools`, as `api` takes them in a
   * request, with the action that each of them calls.
   */
  async getScriptsConfig(
    format: "svc" | "llm" | "tools" = "svc",
    query: { api?: "openai" | "anthropic" | "mcp"; include?: "all" | "actions" } = {},
  ): Promise<unknown> {
    const path = "/scripts/config";
    return await this.http.json({ method: "GET", path, query: { format, ...query } });
  }

  /** Actions that are tools of language models, with about how many tokens their definitions take. */
  async listAgentTools(): Promise<AgentTools> {
    return await this.http.json({ method: "GET", path: "/agent/tools" });
  }
}

function integrationPath(uniqueKey: string): string {
  return `/integrations/${encode(uniqueKey)}`;
}

function functionPath(uniqueKey: string, name: string): string {
  return `${integrationPath(uniqueKey)}/functions/${encode(name)}`;
}
