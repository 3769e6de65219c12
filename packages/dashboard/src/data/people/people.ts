import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

export type User = AnswerOf<"listUsers">["data"][number];
export type Grant = User["grants"][number];
export type OwnSession = AnswerOf<"listOwnSessions">["data"][number];
export type SingleSignOn = NonNullable<AnswerOf<"getSingleSignOn">["data"]>;

/** People belong to no environment, whose stream would say that they have changed. */
const USERS_WATCHED_MS = 60_000;

export const usersQuery = pagedQuery(
  ["users"],
  async ({ query: page, signal }) => await callApi("listUsers", { query: Object(page), signal }),
  () => USERS_WATCHED_MS,
);

/** Everybody, for what is said of all of them. */
export const allUsersQuery = queryOptions({
  queryKey: ["users", "all"],
  queryFn: async ({ signal }) => {
    const users: User[] = [];
    let cursor: string | undefined;
    do {
      const page = await callApi("listUsers", { query: Object({ limit: "200", cursor }), signal });
      users.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return users;
  },
});

export const signInRulesQuery = queryOptions({
  queryKey: ["sign-in-rules"],
  queryFn: async ({ signal }) => (await callApi("getSignInRules", { signal })).data,
});

export const ownSessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: async ({ signal }) => (await callApi("listOwnSessions", { signal })).data,
});

export const singleSignOnQuery = queryOptions({
  queryKey: ["single-sign-on"],
  queryFn: async ({ signal }) => (await callApi("getSingleSignOn", { signal })).data,
});
