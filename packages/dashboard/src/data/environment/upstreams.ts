import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type Upstream = AnswerOf<"getUpstream">["data"];
export type UpstreamTool = Upstream["list"][number];

/** The tools of the integration's MCP server; null for an integration without one. */
export function upstreamQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["upstream", environment, integration],
    queryFn: async ({ signal }): Promise<Upstream | null> => {
      const { data } = await callApi("listUpstreams", { environment, signal });
      if (!data.some((each) => each.integration === integration)) return null;
      const params = { integration };
      return (await callApi("getUpstream", { environment, params, signal })).data;
    },
  });
}
