import type {
  CompiledFunction,
  DeployedFunction,
  FunctionEgress,
  FunctionPage,
  FunctionType,
  FunctionVersion,
  GetScriptsConfigQuery,
  ListedFunction,
  Success,
} from "../api-types/index.ts";
import { encode, integrationPath } from "../calls/request-parts.ts";
import type { FunctionFilter, FunctionName, IntegrationFunctions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Functions that are deployed. */
export class Functions extends Resource {
  async list({ uniqueKey, ...query }: IntegrationFunctions): Promise<FunctionPage> {
    const path = `${integrationPath(uniqueKey)}/functions`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** Of all integrations, newest first, with how they ran lately; `next_cursor` is null at the end. */
  async listAll(
    filter: FunctionFilter = {},
  ): Promise<{ data: ListedFunction[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/functions", query: filter });
  }

  async get({ type, ...named }: FunctionName): Promise<{ data: DeployedFunction }> {
    return await this.http.json({ method: "GET", path: functionPath(named), query: { type } });
  }

  async getCode({ type, ...named }: FunctionName): Promise<{ type: FunctionType; code: string }> {
    const path = `${functionPath(named)}/code`;
    return await this.http.json({ method: "GET", path, query: { type } });
  }

  /** Newest first; at most 20 are kept. */
  async listVersions({ type, ...named }: FunctionName): Promise<{ data: FunctionVersion[] }> {
    const path = `${functionPath(named)}/versions`;
    return await this.http.json({ method: "GET", path, query: { type } });
  }

  /** The source of the version with this `id`. */
  async getVersionCode({ id, type, ...named }: FunctionName & { readonly id: number }): Promise<{
    type: FunctionType;
    version: string;
    code: string;
  }> {
    const path = `${functionPath(named)}/versions/${id}/code`;
    return await this.http.json({ method: "GET", path, query: { type } });
  }

  /** What it sent to each host over the last days, 7 unless given; counts are kept for 30. */
  async getEgress({
    type,
    uniqueKey,
    name,
    ...query
  }: FunctionName & {
    readonly days?: number;
    readonly connection_id?: string;
  }): Promise<{ data: FunctionEgress }> {
    const path = `${functionPath({ uniqueKey, name })}/egress`;
    return await this.http.json({ method: "GET", path, query: { type, ...query } });
  }

  /** A disabled function is neither run nor triggered. */
  async update(
    { type, ...named }: FunctionName,
    change: { enabled: boolean },
  ): Promise<{ data: DeployedFunction }> {
    const path = functionPath(named);
    return await this.http.json({ method: "PATCH", path, query: { type }, body: change });
  }

  async delete({
    type,
    ...named
  }: FunctionName & { readonly type: "action" | "sync" }): Promise<{ data: Success }> {
    return await this.http.json({ method: "DELETE", path: functionPath(named), query: { type } });
  }

  /**
   * What is deployed: an array, or `{data}` in the form of function calling; with `tools`, as `api` takes them in a
   * request, with the action that each of them calls.
   */
  async getScriptsConfig(
    format: "svc" | "llm" | "tools" = "svc",
    query: Pick<GetScriptsConfigQuery, "api" | "include"> = {},
  ): Promise<unknown> {
    const path = "/scripts/config";
    return await this.http.json({ method: "GET", path, query: { format, ...query } });
  }

  /** As it would be deployed; nothing is stored. */
  async compile(body: { code: string }): Promise<CompiledFunction> {
    return await this.http.json({ method: "POST", path: "/functions/compile", body });
  }
}

function functionPath({ uniqueKey, name }: Pick<FunctionName, "uniqueKey" | "name">): string {
  return `${integrationPath(uniqueKey)}/functions/${encode(name)}`;
}
