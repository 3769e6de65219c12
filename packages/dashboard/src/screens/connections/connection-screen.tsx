import { useQuery } from "@tanstack/react-query";
import { type Connection, type ConnectionName, connectionQuery } from "../../data/connections.ts";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import {
  ReconnectButton,
  RefreshButton,
  RefreshOutcome,
  useRefresh,
} from "./connection-actions.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { ConnectionBadge } from "./connection-columns.tsx";
import { customerOf, pageOf } from "./connection-words.ts";
import { CredentialsTab } from "./tabs/credentials-tab.tsx";
import { OperationsTab } from "./tabs/operations-tab.tsx";
import { OverviewTab } from "./tabs/overview-tab.tsx";
import { RecordsTab } from "./tabs/records-tab.tsx";
import { SettingsTab } from "./tabs/settings-tab.tsx";
import { SyncsTab } from "./tabs/syncs-tab.tsx";

const tabs = ["overview", "credentials", "syncs", "records", "operations", "settings"] as const;

/** One connection: what is wrong with it, what runs for it, what has happened. */
export function ConnectionScreen() {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const values = usePathValues();
  const name = { integration: values["integration"] ?? "", id: values["connectionId"] ?? "" };
  const refresh = useRefresh(name);
  const filter = { connectionId: name.id, integrationId: name.integration, include: "health" };
  return (
    <DetailScreen
      query={useQuery(connectionQuery(environment, name))}
      title={(connection) => {
        const who = connection ? customerOf(connection) : "";
        return plainText(`${who === "" ? shortenId(name.id, 24) : who} · ${name.integration}`);
      }}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/connections` },
      }}
      badge={(connection) =>
        connection && <ConnectionBadge connection={connection} texts={texts} />
      }
      examples={[
        curlOf("listConnections", environment, { query: Object(filter) }),
        nodeOf(environment, `connections.list(${JSON.stringify(filter)})`),
        cliOf(`connections --search ${quote(name.id)} --environment ${quote(environment)}`),
      ]}
      actions={(connection) =>
        connection && (
          <>
            <RefreshButton refresh={refresh} />
            <ReconnectButton
              name={name}
              isPrimary={connection.health?.state === "needs_reauthorization"}
            />
          </>
        )
      }
    >
      {(connection) =>
        connection === null ? (
          <Empty title={texts.gone} text={texts.goneText} />
        ) : (
          <>
            <RefreshOutcome refresh={refresh} />
            <ConnectionBanner connection={connection} />
            <Tabs connection={connection} name={name} />
          </>
        )
      }
    </DetailScreen>
  );
}

function Tabs({ connection, name }: { connection: Connection; name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { tab: named } = usePathValues();
  const tab = tabs.find((one) => one === named) ?? "overview";
  return (
    <>
      <LinkTabs
        tabs={tabs.map((one) => ({
          id: one,
          text: texts.tabs[one],
          target: pageOf(environment, connection, one),
          isCurrent: one === tab,
        }))}
      />
      {tab === "overview" && <OverviewTab connection={connection} />}
      {tab === "credentials" && <CredentialsTab connection={connection} name={name} />}
      {tab === "syncs" && <SyncsTab connection={connection} />}
      {tab === "records" && <RecordsTab connection={connection} />}
      {tab === "operations" && <OperationsTab connection={connection} />}
      {tab === "settings" && <SettingsTab connection={connection} name={name} />}
    </>
  );
}
