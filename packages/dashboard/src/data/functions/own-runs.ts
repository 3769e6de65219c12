import { queryOptions } from "@tanstack/react-query";
import { clockAheadMs } from "../../start/server-clock.ts";
import { callApi } from "../api.ts";
import type { Operation } from "../operations.ts";
import type { RunWish } from "./dry-runs.ts";

const SECOND = 1000;
/** Of a run's messages, the newest. */
const MOST_MESSAGES = "100";
const MOST_EARLIER = "20";
/** The two clocks are compared to about a second. */
const CLOCK_MS = 2 * SECOND;

/** A moment of this computer by the clock of the server, as the beginning of a range. */
function byServer(at: number): string {
  return new Date(at - (clockAheadMs() ?? 0) - CLOCK_MS).toISOString();
}

/** The operation of a run that was just asked for, read again until it has ended; null before it is in the log. */
export function runOperationQuery(
  environment: string,
  { integration, connection, type, name }: RunWish,
  askedAt: number,
) {
  return queryOptions({
    queryKey: ["run-operation", environment, integration, connection, type, name, askedAt],
    queryFn: async ({ signal }): Promise<Operation | null> => {
      const query = Object({
        ...{ types: type, integrations: integration, connections: connection, functions: name },
        ...{ from: byServer(askedAt), limit: "1" },
      });
      const { data } = await callApi("listOperations", { environment, query, signal });
      return data[0] ?? null;
    },
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data === null || data.state === "running" ? SECOND : false,
  });
}

/** What a run has logged, the newest last; read again while it runs, and once after it. */
export function runMessagesQuery(environment: string, { id, state }: Operation) {
  return queryOptions({
    queryKey: ["run-messages", environment, id, state],
    queryFn: async ({ signal }) => {
      const query = { order: "desc", limit: MOST_MESSAGES } as const;
      const call = { environment, params: { id }, query: Object(query), signal };
      return (await callApi("listOperationMessages", call)).data.toReversed();
    },
    refetchInterval: state === "running" ? SECOND : false,
    placeholderData: (before) => before,
  });
}

/** Runs and requests of a user before a moment, as the log has them: without what was sent. */
export function earlierRunsQuery(environment: string, userId: string, before: number) {
  return queryOptions({
    queryKey: ["earlier-runs", environment, userId, before],
    queryFn: async ({ signal }) => {
      const query = Object({
        ...{ types: "action,sync,proxy", actors: userId, limit: MOST_EARLIER },
        to: new Date(before - (clockAheadMs() ?? 0)).toISOString(),
      });
      return (await callApi("listOperations", { environment, query, signal })).data;
    },
  });
}
