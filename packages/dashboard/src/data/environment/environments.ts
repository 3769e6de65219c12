import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { meQuery } from "../me.ts";
import { queryClient } from "../query-client.ts";

export type ListedEnvironment = AnswerOf<"listEnvironments">["data"][number];
export type CreatedEnvironment = AnswerOf<"createEnvironment">["data"];

/** They belong to the account, whose changes no stream announces. */
const WATCHED_MS = 60_000;

export const environmentsQuery = queryOptions({
  queryKey: ["environments"],
  queryFn: async ({ signal }) => (await callApi("listEnvironments", { signal })).data,
  refetchInterval: WATCHED_MS,
});

/** After one was made, changed or deleted: what the person may do where is another, too. */
export async function readEnvironmentsAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: environmentsQuery.queryKey });
  await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
}
