import { type AnswerOf, callApi } from "../api.ts";
import { pollEvery } from "../live/live.ts";
import { pagedQuery } from "../paged-query.ts";

export type AgentCall = AnswerOf<"listAgentCalls">["data"][number];

/** What a list of calls is about; the words of the API. */
export interface AgentCallFilter {
  readonly session_id?: string | undefined;
  readonly end_user_id?: string | undefined;
  readonly parent_id?: string | undefined;
}

const WATCH_MS = 10_000;

export function agentCallsQuery(environment: string, filter: AgentCallFilter) {
  return pagedQuery(
    ["agent-calls", environment, filter],
    async ({ query: page, signal }) => {
      const query = Object({ ...filter, ...page });
      return await callApi("listAgentCalls", { environment, query, signal });
    },
    () => pollEvery(WATCH_MS),
  );
}
