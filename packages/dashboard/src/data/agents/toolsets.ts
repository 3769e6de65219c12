import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type AnswerOf, type CallOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";
import { queryClient } from "../query-client.ts";

export type Toolset = AnswerOf<"getToolset">["data"];
export type ToolsetPreview = AnswerOf<"previewToolset">["data"];
export type PreviewTool = ToolsetPreview["tools"][number];
/** What a version of a toolset is made of. */
export type ToolsetBody = NonNullable<CallOf<"putToolset">["body"]>;
export type PreviewBody = NonNullable<CallOf<"previewToolset">["body"]>;

/** What a list of toolsets is about; the words of the API. */
export interface ToolsetFilter {
  readonly search?: string | undefined;
  readonly integration?: string | undefined;
}

export function toolsetsQuery(environment: string, filter: ToolsetFilter) {
  return pagedQuery(["toolsets", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...filter, ...page });
    return await callApi("listToolsets", { environment, query, signal });
  });
}

export function toolsetQuery(environment: string, name: string) {
  return queryOptions({
    queryKey: ["toolset", environment, name],
    queryFn: async ({ signal }) =>
      (await callApi("getToolset", { environment, params: { name }, signal })).data,
  });
}

export function toolsetVersionsQuery(environment: string, name: string) {
  return pagedQuery(["toolset-versions", environment, name], async ({ query: page, signal }) => {
    const query = Object(page);
    return await callApi("listToolsetVersions", { environment, params: { name }, query, signal });
  });
}

/** One version, which stays as it is. */
export function toolsetVersionQuery(environment: string, name: string, version: string) {
  return queryOptions({
    queryKey: ["toolset-version", environment, name, version],
    queryFn: async ({ signal }) => {
      const query = Object({ version });
      return (await callApi("getToolset", { environment, params: { name }, query, signal })).data;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What a toolset of these settings would have; that of the settings before stays until it is known. */
export function previewQuery(environment: string, body: PreviewBody) {
  return queryOptions({
    queryKey: ["toolset-preview", environment, JSON.stringify(body)],
    queryFn: async ({ signal }) =>
      (await callApi("previewToolset", { environment, body, signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** All tools of one integration, wherever they come from. */
export function toolsOfQuery(environment: string, integration: string) {
  const body: PreviewBody = { tools: [{ integration }], policy: { preset: "trusted" } };
  return queryOptions({
    queryKey: ["tools-of", environment, integration],
    queryFn: async ({ signal }) =>
      (await callApi("previewToolset", { environment, body, signal })).data,
  });
}

/** Makes the toolset or its next version. */
export async function putToolset(
  environment: string,
  name: string,
  body: ToolsetBody,
): Promise<Toolset> {
  const { data } = await callApi("putToolset", { environment, params: { name }, body });
  queryClient.setQueryData(toolsetQuery(environment, name).queryKey, data);
  await readAgain(environment);
  return data;
}

/** Deletes it with its versions; its sessions end. */
export async function deleteToolset(environment: string, name: string): Promise<void> {
  await callApi("deleteToolset", { environment, params: { name } });
  queryClient.removeQueries({ queryKey: ["toolset", environment, name] });
  await readAgain(environment);
}

async function readAgain(environment: string): Promise<void> {
  for (const key of ["toolsets", "toolset-versions", "agent-sessions"]) {
    await queryClient.invalidateQueries({ queryKey: [key, environment] });
  }
}
