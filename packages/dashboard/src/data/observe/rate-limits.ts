import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

type Answered = AnswerOf<"listRateLimits">["data"][number];

/** A rate limit, and when it was read: how long calls have waited counts up to then. */
export type RateLimit = Answered & { readonly readAt: number };
export type Rank = keyof Answered["waiting"];

export const ranks: readonly Rank[] = ["people", "actions", "syncs"];

/** No event says so, and waits are short: what is looked at is read again this often. */
const READ_EVERY_MS = 5000;
const READ_WHILE_WAITING_MS = 2000;
const MOST = 500;

/** Rate limits of an environment, or of one integration of it; those that most calls wait for first. */
export function rateLimitsQuery(environment: string, integration: string | undefined) {
  return queryOptions({
    queryKey: ["rate-limits", environment, integration],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key: integration, limit: MOST });
      const { data } = await callApi("listRateLimits", { environment, query, signal });
      const readAt = Date.now();
      return data.map((limit): RateLimit => ({ ...limit, readAt }));
    },
    refetchInterval: ({ state }) =>
      state.data?.some((limit) => countWaiting(limit) > 0) === true
        ? READ_WHILE_WAITING_MS
        : READ_EVERY_MS,
  });
}

export function countWaiting({ waiting }: Answered): number {
  return ranks.reduce((sum, rank) => sum + waiting[rank].calls, 0);
}
