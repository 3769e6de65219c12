import { useQuery } from "@tanstack/react-query";
import { connectionQuery } from "../../data/connections.ts";
import { plainText, shortenId } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { CodeButton, curlOf, fetchOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import {
  ReconnectButton,
  RefreshButton,
  RefreshOutcome,
  useRefresh,
} from "./connection-actions.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { customerOf, pageOf } from "./connection-words.ts";
import { ConnectionBadge } from "./connections-screen.tsx";
import { OperationsTab } from "./operations-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";

const tabs = ["overview", "operations", "settings"] as const;

/** One connection: what is wrong with it, what runs for it, what has happened. */
export function ConnectionScreen() {
  const { connections: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const values = usePathValues();
  const name = { integration: values["integration"] ?? "", id: values["connectionId"] ?? "" };
  const query = useQuery(connectionQuery(environment, name));
  const refresh = useRefresh(name);
  const connection = query.data;
  const tab = tabs.find((one) => one === values["tab"]) ?? "overview";
  const who = connection ? customerOf(connection) : "";
  const filter = { connectionId: name.id, integrationId: name.integration, include: "health" };
  const isRefused = connection?.health?.state === "needs_reauthorization";
  const title = plainText(`${who === "" ? shortenId(name.id, 24) : who} · ${name.integration}`);
  return (
    <>
      <ScreenHead
        title={query.isLoading ? shell.loading : title}
        parent={{
          text: texts.title,
          target: { to: `/${encodeURIComponent(environment)}/connections` },
        }}
        badge={connection && <ConnectionBadge connection={connection} texts={texts} />}
      >
        <CodeButton
          examples={[
            curlOf("listConnections", environment, { query: Object(filter) }),
            fetchOf("listConnections", environment, { query: Object(filter) }),
          ]}
        />
        {connection && (
          <>
            <RefreshButton refresh={refresh} />
            <ReconnectButton name={name} isPrimary={isRefused} />
          </>
        )}
      </ScreenHead>
      <div className="page-scroll">
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {connection === null && <Empty title={texts.gone} text={texts.goneText} />}
        {connection && (
          <>
            <RefreshOutcome refresh={refresh} />
            <ConnectionBanner connection={connection} />
            <div className="tabs">
              {tabs.map((one) => (
                <Go
                  key={one}
                  className="tab"
                  target={pageOf(environment, connection, one)}
                  aria-current={one === tab ? "page" : undefined}
                >
                  {texts.tabs[one]}
                </Go>
              ))}
            </div>
            {tab === "overview" && <OverviewTab connection={connection} />}
            {tab === "operations" && <OperationsTab connection={connection} />}
            {tab === "settings" && <SettingsTab connection={connection} name={name} />}
          </>
        )}
      </div>
    </>
  );
}
