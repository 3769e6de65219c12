import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { callApi } from "../../data/api.ts";
import { type Connection, type ConnectionName, callOfConnection } from "../../data/connections.ts";
import { connectionContentsQuery } from "../../data/environment/connection-contents.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { curlOf, nodeCall } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { connectionTexts } from "../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { customerOf } from "./connection-words.ts";

/** Names whose connection it is and what goes with it; in production its id has to be typed. */
export function DeleteConnection({
  connection,
  name,
}: {
  connection: Connection;
  name: ConnectionName;
}) {
  const { connections: texts } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={texts.delete}
      scope="environment:connections:delete"
      text={<WhatGoes connection={connection} name={name} />}
      confirm={texts.deleteIn(environment)}
      code={[
        curlOf("deleteConnection", environment, callOfConnection(name)),
        nodeCall(environment, "connections.delete", {
          providerConfigKey: name.integration,
          connectionId: name.id,
        }),
      ]}
      typed={isProduction ? { label: texts.typeToDelete, text: name.id } : undefined}
      onConfirm={async () => {
        await callApi("deleteConnection", { environment, ...callOfConnection(name) });
        await queryClient.invalidateQueries({ queryKey: ["connections", environment] });
        await navigate({ to: `${homeOf(environment)}/connections` });
      }}
    />
  );
}

/** What is deleted, with counts that are read when the question is asked. */
function WhatGoes({ connection, name }: { connection: Connection; name: ConnectionName }) {
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const contents = useQuery(connectionContentsQuery(environment, name));
  const own = integrations.find(({ unique_key: key }) => key === name.integration);
  const provider = plainText(own?.display_name ?? connection.provider, 80);
  const who = plainText(customerOf(connection), 80);
  const { data: counts } = contents;
  return (
    <>
      <p>
        {who === ""
          ? texts.deletesNobody(plainText(name.id, 80), provider)
          : texts.deletes(who, provider, plainText(name.id, 80))}
      </p>
      {contents.isError && (
        <FaultBanner error={contents.error} onRetry={() => void contents.refetch()} />
      )}
      {counts === undefined
        ? !contents.isError && <p role="status">{texts.counting}</p>
        : counts.syncs + counts.models > 0 && (
            <ul className="bullets" aria-label={texts.goesWithIt}>
              <li>{texts.goesSyncs(formatNumber(counts.syncs))}</li>
              <li>
                {texts.goesRecords(formatNumber(counts.records), formatNumber(counts.models))}
              </li>
            </ul>
          )}
      {counts !== undefined && counts.syncs + counts.models === 0 && <p>{texts.goesNothing}</p>}
      <p className="soft">{texts.withdraws}</p>
    </>
  );
}
