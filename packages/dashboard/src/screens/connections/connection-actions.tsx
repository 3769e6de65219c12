import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi } from "../../data/api.ts";
import { type ConnectionName, callOfConnection } from "../../data/connections.ts";
import { queryClient } from "../../data/query-client.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinkResult } from "./new/link-result.tsx";

/** Refreshes the token now, also while a failure is waited out. */
export function useRefresh(name: ConnectionName) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async () =>
      await callApi("refreshConnection", { environment, ...callOfConnection(name) }),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["connection", environment, name] });
    },
  });
}

export function RefreshButton({ refresh }: { refresh: ReturnType<typeof useRefresh> }) {
  const { connections: texts } = useTexts();
  return (
    <ScopedButton
      scope="environment:connections:refresh"
      isPending={refresh.isPending}
      onPress={() => refresh.mutate()}
    >
      {texts.refresh}
    </ScopedButton>
  );
}

/** What the refresh led to. */
export function RefreshOutcome({ refresh }: { refresh: ReturnType<typeof useRefresh> }) {
  const { connections: texts } = useTexts();
  if (refresh.isError) return <FaultBanner error={refresh.error} />;
  if (refresh.data === undefined) return null;
  return (
    <p className="banner" role="status">
      {refresh.data.refreshed ? texts.refreshed : texts.nothingToRefresh}
    </p>
  );
}

/** A link with which the end user authorizes the connection again. */
export function ReconnectButton({ name, isPrimary }: { name: ConnectionName; isPrimary: boolean }) {
  const { connections: texts } = useTexts();
  return (
    <DialogButton
      label={texts.reconnect}
      title={texts.reconnectTitle}
      look={isPrimary ? "primary" : ""}
      scope="environment:connect_sessions:write"
    >
      {() => <ReconnectLink name={name} />}
    </DialogButton>
  );
}

function ReconnectLink({ name }: { name: ConnectionName }) {
  const { connections: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const { mutate, data, error } = useMutation({
    mutationFn: async () => {
      const body = { connection_id: name.id, integration_id: name.integration };
      return (await callApi("createReconnectSession", { environment, body })).data;
    },
  });
  useEffect(() => mutate(), [mutate]);
  if (error !== null) return <FaultBanner error={error} />;
  return (
    <>
      <p className="soft">{texts.reconnectText}</p>
      {data === undefined ? <p role="status">{shell.loading}</p> : <LinkResult session={data} />}
    </>
  );
}
