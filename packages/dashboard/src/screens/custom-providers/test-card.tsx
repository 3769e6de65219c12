import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import type { Connection } from "../../data/connections.ts";
import type { CustomProvider } from "../../data/custom-providers/custom-providers.ts";
import {
  type Integration,
  integrationQuery,
  integrationsQuery,
  providersQuery,
} from "../../data/integrations.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { pageOf } from "../connections/connection-words.ts";
import { ConnectFrame } from "../connections/new/connect-frame.tsx";
import { DiagnosisCard } from "../connections/tabs/diagnosis-card.tsx";
import { NewIntegration } from "../integrations/new-integration.tsx";

/** Tries the saved version: an integration, the real connect page, and a check of the connection. */
export function TestCard({ known }: { known: CustomProvider }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { data: all = [] } = useQuery(integrationsQuery(environment));
  const own = all.filter(({ provider }) => provider === known.slug);
  const [chosen, setChosen] = useState<string>();
  const key = own.find(({ unique_key: each }) => each === chosen)?.unique_key ?? own[0]?.unique_key;
  return (
    <Card title={texts.test}>
      <div className="stack padded">
        <p className="soft">{texts.testText}</p>
        {key === undefined ? (
          <SetUp slug={known.slug} />
        ) : (
          <>
            {own.length > 1 && (
              <ChoiceInput
                label={texts.integration}
                value={key}
                choices={own.map(({ unique_key: id }) => ({ id, text: id }))}
                onChange={setChosen}
              />
            )}
            <OldVersion integrationKey={key} version={known.version} />
            <TryConnection key={key} integrationKey={key} />
          </>
        )}
      </div>
    </Card>
  );
}

function SetUp({ slug }: { slug: string }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { data: providers = [] } = useQuery(providersQuery(environment));
  const [isOpen, setOpen] = useState(false);
  const provider = providers.find(({ name }) => name === slug);
  return (
    <>
      <p>{texts.noIntegration}</p>
      <div className="row">
        <ScopedButton
          scope="environment:integrations:create"
          isDisabled={provider === undefined}
          onPress={() => setOpen(true)}
        >
          {texts.setUp}
        </ScopedButton>
      </div>
      {isOpen && provider !== undefined && (
        <NewIntegration
          provider={provider}
          onClose={() => setOpen(false)}
          onMade={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** An integration keeps the version that it was made with, until it follows the latest. */
function OldVersion({ integrationKey, version }: { integrationKey: string; version: number }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const query = integrationQuery(environment, integrationKey);
  const { data } = useQuery(query);
  const follow = useMutation({
    mutationFn: async () => {
      const body = { settings: { provider_version: "latest" as const } };
      const params = { uniqueKey: integrationKey };
      await callApi("updateIntegration", { environment, params, body });
      await queryClient.invalidateQueries({ queryKey: query.queryKey });
    },
  });
  const used = data?.provider_version;
  if (used === undefined || used === version) return null;
  return (
    <>
      {follow.isError && <FaultBanner error={follow.error} />}
      <p className="row">
        {texts.old(formatNumber(used))}
        <ScopedButton
          scope="environment:integrations:update"
          isPending={follow.isPending}
          onPress={() => follow.mutate()}
        >
          {texts.follow}
        </ScopedButton>
      </p>
    </>
  );
}

type Made = Pick<Connection, "connection_id" | "provider_config_key">;

function TryConnection({ integrationKey }: { integrationKey: Integration["unique_key"] }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const [made, setMade] = useState<Made>();
  const begin = useMutation({
    mutationFn: async () => {
      const body = { tags: { end_user_id: "test" }, allowed_integrations: [integrationKey] };
      return (await callApi("createConnectSession", { environment, body })).data;
    },
  });
  const restart = () => {
    setMade(undefined);
    begin.reset();
  };
  if (made !== undefined) {
    const { connection_id: id } = made;
    return (
      <>
        <p role="status">{texts.connected(plainText(id, 80))}</p>
        <DiagnosisCard name={{ integration: integrationKey, id }} />
        <div className="row">
          <Go className="button" target={pageOf(environment, made)}>
            {texts.open}
          </Go>
          <Button className="button" onPress={restart}>
            {texts.again}
          </Button>
        </div>
      </>
    );
  }
  if (begin.data !== undefined) return <ConnectFrame session={begin.data} onConnected={setMade} />;
  return (
    <>
      {begin.isError && <FaultBanner error={begin.error} />}
      <div className="row">
        <ScopedButton
          scope="environment:connect_sessions:write"
          isPending={begin.isPending}
          onPress={() => begin.mutate()}
        >
          {texts.begin}
        </ScopedButton>
      </div>
    </>
  );
}
