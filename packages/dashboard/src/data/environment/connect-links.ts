import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";
import { queryClient } from "../query-client.ts";

export type ConnectLink = AnswerOf<"listConnectLinks">["data"][number];
export type CreatedLink = AnswerOf<"createConnectLink">["data"];
export type ReconnectLinks = AnswerOf<"createReconnectLinks">["data"];

export interface LinkFilter {
  readonly state?: string | undefined;
}

/** Connect links of the environment, newest first. */
export function linksQuery(environment: string, filter: LinkFilter) {
  return pagedQuery(["connect-links", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...filter, ...page });
    return await callApi("listConnectLinks", { environment, query, signal });
  });
}

export async function readLinksAgain(environment: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["connect-links", environment] });
}
