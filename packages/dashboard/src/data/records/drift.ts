import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type DriftModel = AnswerOf<"listDrift">["data"][number];

/** Fields of a connection's records that have drifted: its models are few. */
export function driftQuery(
  environment: string,
  { provider_config_key, connection_id }: { provider_config_key: string; connection_id: string },
) {
  return queryOptions({
    queryKey: ["drift", environment, provider_config_key, connection_id],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key, connection_id, limit: 50 });
      return (await callApi("listDrift", { environment, query, signal })).data;
    },
  });
}
