import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type Upstream = AnswerOf<"getUpstream">["data"];
export type UpstreamTool = Upstream["list"][number];

/** The servers of all integrations that have one, without their tools. */
export function upstreamsQuery(environment: string) {
  return queryOptions({
    queryKey: ["upstream", environment],
    queryFn: async ({ signal }) => (await callApi("listUpstreams", { environment, signal })).data,
  });
}

/** The server of an integration that has one, with its tools. */
export function upstreamQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["upstream", environment, integration],
    queryFn: async ({ signal }) =>
      (await callApi("getUpstream", { environment, params: { integration }, signal })).data,
  });
}
