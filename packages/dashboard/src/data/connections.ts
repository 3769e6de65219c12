import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "./api.ts";
import { pagedQuery } from "./paged-query.ts";

export type Connection = AnswerOf<"listConnections">["connections"][number];
export type ConnectionHealth = NonNullable<Connection["health"]>;
export type RefreshFailure = NonNullable<ConnectionHealth["failure"]>;
export type ConnectionState = ConnectionHealth["state"];

/** What a list of connections is about; the words of its address. */
export interface ConnectionFilter {
  readonly state?: string | undefined;
  readonly integrationId?: string | undefined;
  readonly search?: string | undefined;
  /** All of which a connection has. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly sort?: string | undefined;
  /** Time within which the end user has to authorize again: days, or `24h`, `7d`. */
  readonly expiring?: string | undefined;
  /** Time without a use, in the same words. */
  readonly unused?: string | undefined;
}

const HOUR_MS = 3_600_000;

/** The times that spans of a filter mean, by the hour, so that what is asked for stays the same for a while. */
export function timesOf({ expiring, unused }: Pick<ConnectionFilter, "expiring" | "unused">) {
  const hour = Math.floor(Date.now() / HOUR_MS);
  const inHours = (hours: number) => new Date((hour + hours) * HOUR_MS).toISOString();
  const [within, without] = [hoursOf(expiring), hoursOf(unused)];
  return {
    reauthorize_before: within === undefined ? undefined : inHours(within),
    unused_since: without === undefined ? undefined : inHours(-without),
  };
}

/** Whether a list of connections knows what a span means. */
export function isSpan(word: string): boolean {
  return hoursOf(word) !== undefined;
}

function hoursOf(word: string | undefined): number | undefined {
  const [, count, unit] = /^(\d{1,4})([dh]?)$/.exec(word ?? "") ?? [];
  return count === undefined ? undefined : Number(count) * (unit === "h" ? 1 : 24);
}

/** A filter as clients take it; lists by time have an order of their own. */
export function queryOfConnections({ expiring, unused, sort, tags, ...named }: ConnectionFilter) {
  const times = timesOf({ expiring, unused });
  const isByTime = Object.values(times).some((time) => time !== undefined);
  return { ...named, tags: givenTags(tags), ...times, sort: isByTime ? undefined : sort };
}

/** The same as an address has it: a value for each tag. */
export function addressQueryOf(filter: ConnectionFilter): Readonly<Record<string, unknown>> {
  const { tags = {}, ...named } = queryOfConnections(filter);
  const each = Object.entries(tags).map(([name, value]) => [`tags[${name}]`, value]);
  return { ...named, ...Object.fromEntries(each) };
}

/** Nothing where there are none. */
export function givenTags(
  tags: ConnectionFilter["tags"] = {},
): Readonly<Record<string, string>> | undefined {
  return Object.keys(tags).length === 0 ? undefined : tags;
}

export function connectionsQuery(environment: string, filter: ConnectionFilter) {
  return pagedQuery(["connections", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...addressQueryOf(filter), include: "health", ...page });
    const answer = await callApi("listConnections", { environment, query, signal });
    return { data: answer.connections, next_cursor: answer.next_cursor };
  });
}

/** The platform that refreshes a connection which is read through. */
export function oldPlatformQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["old-platform", environment, id],
    queryFn: async ({ signal }) => {
      const params = { oldPlatformId: id };
      return (await callApi("getOldPlatform", { environment, params, signal })).data;
    },
  });
}

/** How many connections there are, by state and by integration. */
export function connectionCountsQuery(environment: string) {
  return queryOptions({
    queryKey: ["connection-counts", environment],
    queryFn: async ({ signal }) =>
      (await callApi("countConnections", { environment, signal })).data,
  });
}

export type CredentialSummary = AnswerOf<"getCredentialSummary">["data"];

/** What the credentials consist of and allow, without their values. */
export function credentialSummaryQuery(environment: string, name: ConnectionName) {
  return queryOptions({
    queryKey: ["connection", environment, name, "credentials"],
    queryFn: async ({ signal }) => {
      const call = { environment, ...callOfConnection(name), signal };
      return (await callApi("getCredentialSummary", call)).data;
    },
  });
}

/** A connection as its integration names it. */
export interface ConnectionName {
  readonly integration: string;
  readonly id: string;
}

export function callOfConnection({ integration, id }: ConnectionName) {
  return { params: { connectionId: id }, query: { provider_config_key: integration } };
}

/** Without credentials: a page never asks for more than it shows. */
export function connectionQuery(environment: string, name: ConnectionName) {
  return queryOptions({
    queryKey: ["connection", environment, name],
    queryFn: async ({ signal }) => {
      const query = {
        connectionId: name.id,
        integrationId: name.integration,
        include: "health,error_details",
      };
      const { connections } = await callApi("listConnections", {
        environment,
        query: Object(query),
        signal,
      });
      return connections[0] ?? null;
    },
  });
}
