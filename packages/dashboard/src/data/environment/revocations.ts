import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import type { ConnectionName } from "../connections.ts";
import { pagedQuery } from "../paged-query.ts";

export type Revocation = AnswerOf<"getRevocation">["data"];
export type RevokedConnection = AnswerOf<"listRevokedConnections">["data"][number];
export type ConnectionUse = AnswerOf<"listConnectionUses">["data"][number];

const WATCH_MS = 1500;

export function revocationsQuery(environment: string) {
  return pagedQuery(
    ["revocations", environment],
    async ({ query, signal }) => await callApi("listRevocations", { environment, query, signal }),
    (rows) => (rows.some(({ state }) => state !== "done") ? WATCH_MS : false),
  );
}

export function revocationQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["revocation", environment, id],
    queryFn: async ({ signal }) => {
      const params = { revocationId: id };
      return (await callApi("getRevocation", { environment, params, signal })).data;
    },
    refetchInterval: ({ state }) => (state.data?.state === "done" ? false : WATCH_MS),
  });
}

export function revokedConnectionsQuery(environment: string, id: string) {
  return pagedQuery(
    ["revocation", environment, id, "connections"],
    async ({ query, signal }) => {
      const params = { revocationId: id };
      return await callApi("listRevokedConnections", { environment, params, query, signal });
    },
    (rows) => (rows.some(({ state }) => state === "waiting") ? WATCH_MS : false),
  );
}

export function connectionUsesQuery(environment: string, { integration, id }: ConnectionName) {
  return pagedQuery(
    ["connection-uses", environment, integration, id],
    async ({ query: page, signal }) => {
      const query = { provider_config_key: integration, ...page };
      return await callApi("listConnectionUses", {
        ...{ environment, params: { connectionId: id }, query, signal },
      });
    },
  );
}

/** The revocation, each of its connections, and the public key: what `jackfield revoke verify` reads. */
export async function readReport(environment: string, revocation: Revocation): Promise<Blob> {
  const params = { revocationId: revocation.id };
  const connections: RevokedConnection[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: "500", ...(cursor === undefined ? {} : { cursor }) };
    const page = await callApi("listRevokedConnections", { environment, params, query });
    connections.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const environmentId = revocation.environment_id;
  const { keys } = await callApi("getReportKeys", { environment, params: { environmentId } });
  const report = { revocation, connections, keys };
  return new Blob([JSON.stringify(report, undefined, 2)], { type: "application/json" });
}
