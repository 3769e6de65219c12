import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

export type ListedFunction = AnswerOf<"listEnvironmentFunctions">["data"][number];
export type DeployedFunction = AnswerOf<"getFunction">["data"];
export type FunctionEgress = AnswerOf<"getFunctionEgress">["data"];
export type FunctionVersion = AnswerOf<"listFunctionVersions">["data"][number];

/** What a list of functions is about; the words of the API. */
export interface FunctionFilter {
  readonly provider_config_key?: string | undefined;
  readonly type?: string | undefined;
  readonly search?: string | undefined;
}

/** A function as its integration names it. */
export interface FunctionName {
  readonly integration: string;
  readonly type: string;
  readonly name: string;
}

export function callOfFunction({ integration, type, name }: FunctionName) {
  return { params: { uniqueKey: integration, name }, query: Object({ type }) };
}

export function functionListQuery(environment: string, filter: FunctionFilter) {
  return pagedQuery(["function-list", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...filter, ...page });
    return await callApi("listEnvironmentFunctions", { environment, query, signal });
  });
}

/** The function of an integration with a name, and its type; nothing when there is none any more. */
export function namedFunctionQuery(
  environment: string,
  { integration, name }: Omit<FunctionName, "type">,
) {
  return queryOptions({
    queryKey: ["function-list", environment, "named", integration, name],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key: integration, search: name, limit: "100" });
      const { data } = await callApi("listEnvironmentFunctions", { environment, query, signal });
      return data.find((one) => one.name === name) ?? null;
    },
  });
}

export function functionQuery(environment: string, name: FunctionName) {
  return queryOptions({
    queryKey: ["function", environment, name],
    queryFn: async ({ signal }) =>
      (await callApi("getFunction", { environment, ...callOfFunction(name), signal })).data,
  });
}

/** Its source as the author wrote it. */
export function functionCodeQuery(environment: string, name: FunctionName) {
  return queryOptions({
    queryKey: ["function-code", environment, name],
    queryFn: async ({ signal }) =>
      (await callApi("getFunctionCode", { environment, ...callOfFunction(name), signal })).code,
  });
}

/** What the API sums up unless it is asked for more. */
export const EGRESS_DAYS = 7;

/** What it sent where, over the last week. */
export function egressQuery(environment: string, name: FunctionName) {
  return queryOptions({
    queryKey: ["function-egress", environment, name],
    queryFn: async ({ signal }) =>
      (await callApi("getFunctionEgress", { environment, ...callOfFunction(name), signal })).data,
  });
}

export function versionsQuery(environment: string, name: FunctionName) {
  return queryOptions({
    queryKey: ["function-versions", environment, name],
    queryFn: async ({ signal }) => {
      const call = { environment, ...callOfFunction(name), signal };
      return (await callApi("listFunctionVersions", call)).data;
    },
  });
}

/** A version never changes. */
export function versionCodeQuery(environment: string, name: FunctionName, id: number) {
  return queryOptions({
    queryKey: ["function-version-code", environment, name, id],
    queryFn: async ({ signal }) => {
      const { params, query } = callOfFunction(name);
      const call = { environment, params: { ...params, version: String(id) }, query, signal };
      return (await callApi("getFunctionVersionCode", call)).code;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
