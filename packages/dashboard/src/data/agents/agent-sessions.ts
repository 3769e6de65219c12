import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, type CallOf, callApi } from "../api.ts";
import { pollEvery } from "../live/live.ts";
import { pagedQuery } from "../paged-query.ts";
import { queryClient } from "../query-client.ts";

export type AgentSession = AnswerOf<"listAgentSessions">["data"][number];
export type WholeSession = AnswerOf<"getAgentSession">["data"];
/** Which sessions a stop ends. */
export type StopBody = NonNullable<CallOf<"stopAgents">["body"]>;

/** What a list of sessions is about; the words of the API. */
export interface SessionFilter {
  readonly toolset?: string | undefined;
  readonly integration?: string | undefined;
  readonly end_user_id?: string | undefined;
  readonly state?: string | undefined;
}

/** Agents call while somebody looks at this. */
const WATCH_MS = 10_000;

export function sessionsQuery(environment: string, filter: SessionFilter) {
  return pagedQuery(
    ["agent-sessions", environment, filter],
    async ({ query: page, signal }) => {
      const query = Object({ ...filter, ...page });
      return await callApi("listAgentSessions", { environment, query, signal });
    },
    () => pollEvery(WATCH_MS),
  );
}

export function sessionQuery(environment: string, sessionId: string) {
  return queryOptions({
    queryKey: ["agent-sessions", environment, sessionId],
    queryFn: async ({ signal }) =>
      (await callApi("getAgentSession", { environment, params: { sessionId }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.state === "open" ? pollEvery(WATCH_MS) : false),
  });
}

/** Sessions that a stop would end, as far as one page goes. */
export function stoppedQuery(environment: string, stop: StopBody) {
  const { toolset, integration, end_user_id } = stop;
  const filter = { toolset, integration, end_user_id, state: "open", limit: "100" };
  return queryOptions({
    queryKey: ["agent-sessions", environment, "stopped", filter],
    queryFn: async ({ signal }) =>
      await callApi("listAgentSessions", { environment, query: Object(filter), signal }),
    staleTime: 0,
  });
}

export async function readSessionsAgain(environment: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["agent-sessions", environment] });
}
