import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { callApi, isNotFound } from "../../../data/api.ts";
import { connectionCountsQuery } from "../../../data/connections.ts";
import {
  functionsQuery,
  type Integration,
  integrationQuery,
  MOST_FUNCTIONS,
} from "../../../data/integrations.ts";
import { queryClient } from "../../../data/query-client.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { ConfirmButton } from "../../../parts/panels/confirm-button.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

/** Names what goes with the integration; its key has to be typed. */
export function DeleteIntegration({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const { unique_key: key } = integration;
  return (
    <div className="row">
      <ConfirmButton
        label={texts.delete}
        scope="environment:integrations:delete"
        text={<WhatGoes integrationKey={key} />}
        confirm={texts.deleteIn(environment)}
        typed={{ label: texts.typeKey, text: key }}
        onConfirm={async () => {
          await callApi("deleteIntegration", { environment, params: { uniqueKey: key } });
          await queryClient.invalidateQueries({ queryKey: ["integrations", environment] });
          if (await isGone(environment, key)) {
            await navigate({ to: `${homeOf(environment)}/integrations` });
          }
        }}
      />
    </div>
  );
}

/** The call also succeeds where connections still have to go. */
async function isGone(environment: string, key: string): Promise<boolean> {
  try {
    await queryClient.fetchQuery({ ...integrationQuery(environment, key), staleTime: 0 });
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

function WhatGoes({ integrationKey: key }: { integrationKey: string }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const counts = useQuery({
    ...connectionCountsQuery(environment),
    enabled: useMay("environment:connections:list"),
  });
  const functions = useQuery({
    ...functionsQuery(environment, key),
    enabled: useMay("environment:functions:list"),
  });
  const own = counts.data?.by_integration.find(({ provider_config_key: other }) => other === key);
  const goes = [
    counts.data === undefined
      ? texts.allConnections
      : own !== undefined && own.total > 0 && texts.deletedConnections(formatNumber(own.total)),
    functions.data === undefined || functions.data.length === MOST_FUNCTIONS
      ? texts.allFunctions
      : functions.data.length > 0 &&
        texts.deletedFunctions(
          formatNumber(functions.data.length),
          formatNumber(functions.data.filter(({ type }) => type === "sync").length),
        ),
    texts.deletedClient,
  ].filter((words) => words !== false);
  return (
    <>
      <p>{texts.deleteGoes}</p>
      <ul>
        {goes.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <p className="soft">{texts.deleteLong}</p>
    </>
  );
}
