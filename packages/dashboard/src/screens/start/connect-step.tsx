import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Go } from "../../parts/go.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { startTexts } from "../../texts/screens/start.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { pageOf, toneOf } from "../connections/connection-words.ts";
import { ConnectFrame } from "../connections/new/connect-frame.tsx";
import { Step } from "./step.tsx";
import { INTEGRATION, type Progress } from "./use-progress.ts";

const END_USER = "first-customer";

/** The page that an end user sees, and the provider's page of consent. */
export function ConnectStep({ hasIntegration, connection }: Progress) {
  const texts = useTextsOf(startTexts);
  const { connections: words } = useTexts();
  const { name: environment } = useEnvironment();
  const body = { tags: { end_user_id: END_USER }, allowed_integrations: [INTEGRATION] };
  const open = useConnecting(connection);
  return (
    <Step
      number="2"
      title={texts.connect}
      text={texts.connectText}
      isDone={connection !== undefined}
      isNext={hasIntegration && connection === undefined}
      examples={[
        curlOf("createConnectSession", environment, { body }),
        nodeOf(environment, `connectSessions.create(${JSON.stringify(body)})`),
      ]}
    >
      {open.isError && <FaultBanner error={open.error} />}
      {connection !== undefined && (
        <p className="row">
          <Go target={pageOf(environment, connection)}>{END_USER}</Go>
          <Badge tone={toneOf(connection.health?.state ?? "ok")}>
            {words.states[connection.health?.state ?? "ok"]}
          </Badge>
        </p>
      )}
      {open.data !== undefined ? (
        <ConnectFrame session={open.data} onConnected={() => open.reset()} />
      ) : (
        (connection === undefined || connection.health?.state === "needs_reauthorization") && (
          <div className="row">
            <ScopedButton
              scope="environment:connect_sessions:write"
              look="primary"
              isPending={open.isPending}
              onPress={() => open.mutate()}
            >
              {connection === undefined ? texts.openConnect : texts.connectAgain}
            </ScopedButton>
          </div>
        )
      )}
    </Step>
  );
}

/** A session for a first connection, or for the one that is there. */
function useConnecting(connection: Progress["connection"]) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async () => {
      if (connection !== undefined) {
        const { connection_id } = connection;
        const body = { connection_id, integration_id: INTEGRATION };
        return (await callApi("createReconnectSession", { environment, body })).data;
      }
      const body = { tags: { end_user_id: END_USER }, allowed_integrations: [INTEGRATION] };
      return (await callApi("createConnectSession", { environment, body })).data;
    },
  });
}
