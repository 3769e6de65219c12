import { useNavigate } from "@tanstack/react-router";
import { type CallOf, callApi } from "../../../data/api.ts";
import type { Integration } from "../../../data/integrations.ts";
import { queryClient } from "../../../data/query-client.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { integrationPage } from "../integration-words.ts";

export const UPDATE = "environment:integrations:update";

type Change = CallOf<"updateIntegration">["body"];

/** Changes the integration; leads on to the new address where its key changes. */
export function useSaveIntegration({
  unique_key: key,
}: Integration): (body: NonNullable<Change>) => Promise<void> {
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  return async (body) => {
    if (Object.keys(body).length === 0) return;
    const call = { environment, params: { uniqueKey: key }, body };
    const { unique_key: next } = (await callApi("updateIntegration", call)).data;
    if (next !== key) {
      await navigate({ ...integrationPage(environment, next, "settings"), replace: true });
    }
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ["integrations", environment] }),
      queryClient.invalidateQueries({ queryKey: ["integration", environment, next] }),
    ]);
  };
}
