import { queryOptions } from "@tanstack/react-query";
import { callApi } from "../api.ts";
import type { FunctionName } from "./functions.ts";

/** The tape of an operation, without its contents; null where there is none. */
export function tapeQuery(environment: string, operationId: string) {
  return queryOptions({
    queryKey: ["tape", environment, operationId],
    queryFn: async ({ signal }) => {
      const query = Object({ operation_id: operationId, limit: "1" });
      const { data } = await callApi("listTapes", { environment, query, signal });
      return data[0] ?? null;
    },
  });
}

/** Which runs of a function are recorded; null for none. */
export function tapeRuleQuery(environment: string, { integration, type, name }: FunctionName) {
  return queryOptions({
    queryKey: ["tape-rule", environment, integration, type, name],
    queryFn: async ({ signal }) => {
      const { data } = await callApi("listTapeRules", { environment, signal });
      const isOf = (rule: (typeof data)[number]) =>
        rule.provider_config_key === integration && rule.function === name && rule.type === type;
      return data.find(isOf) ?? null;
    },
  });
}
