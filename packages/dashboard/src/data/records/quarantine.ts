import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type QuarantinedModel = AnswerOf<"listQuarantine">["data"][number];

/** What is quarantined of a connection: its models are few. */
export function quarantineQuery(
  environment: string,
  { provider_config_key, connection_id }: { provider_config_key: string; connection_id: string },
) {
  return queryOptions({
    queryKey: ["quarantine", environment, provider_config_key, connection_id],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key, connection_id, limit: 100 });
      return (await callApi("listQuarantine", { environment, query, signal })).data;
    },
  });
}

export function samplesQuery(environment: string, model: QuarantinedModel) {
  const { provider_config_key, connection_id, model: name, variant } = model;
  return queryOptions({
    queryKey: ["quarantine", environment, provider_config_key, connection_id, name, variant],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key, connection_id, model: name, variant });
      return (await callApi("listQuarantineSamples", { environment, query, signal })).data;
    },
  });
}
