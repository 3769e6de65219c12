import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { takeEarlyAnswer } from "../start/early-answer.ts";
import { ApiError, callApi, setCsrfToken } from "./api.ts";
import { takePreferences } from "./preferences.ts";
import { queryClient } from "./query-client.ts";

export type Me = Awaited<ReturnType<typeof fetchMe>>;

export type OwnEnvironment = Me["environments"][number];

/** Who has signed in; an answer that is not one of a person leads to the sign-in page. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => await fetchMe(),
  staleTime: 60_000,
});

async function fetchMe() {
  const { data } = await callApi("getMe", { answer: takeEarlyAnswer() });
  setCsrfToken(data.csrf_token);
  takePreferences(data.preferences);
  return data;
}

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Whether nobody has signed in, as far as an error says. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Ends what this page knows of a person: nothing of theirs may be seen by the next one. */
export function forgetPerson(): void {
  setCsrfToken(undefined);
  queryClient.clear();
}

/** What a page needs to know to offer the ways to sign in. */
export function useSignInState() {
  return useQuery({
    queryKey: ["sign-in-state"],
    queryFn: async ({ signal }) => (await callApi("getSignInState", { signal })).data,
    staleTime: 0,
  });
}
