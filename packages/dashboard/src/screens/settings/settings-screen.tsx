import type { ComponentType } from "react";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ConnectPageTab } from "./connect-page-tab.tsx";
import { GeneralTab } from "./general-tab.tsx";
import { LimitsTab } from "./limits-tab.tsx";
import { RetentionTab } from "./retention-tab.tsx";
import { SqlAccessTab } from "./sql-access-tab.tsx";
import { VariablesTab } from "./variables-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";

const tabs = {
  general: { Tab: GeneralTab, route: "getEnvironmentSettings" },
  webhooks: { Tab: WebhooksTab, route: "getWebhookSettings" },
  variables: { Tab: VariablesTab, route: "listEnvironmentVariables" },
  "connect-page": { Tab: ConnectPageTab, route: "getEnvironmentSettings" },
  limits: { Tab: LimitsTab, route: "getEnvironmentSettings" },
  retention: { Tab: RetentionTab, route: "getEnvironmentSettings" },
  "sql-access": { Tab: SqlAccessTab, route: "getSqlAccess" },
} as const satisfies Readonly<Record<string, { Tab: ComponentType; route: string }>>;

type TabName = keyof typeof tabs;

/** What the environment is set to, a part at a time. */
export function SettingsScreen() {
  const { settings: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { tab: named } = usePathValues();
  const tab: TabName = named !== undefined && isTab(named) ? named : "general";
  const { Tab, route } = tabs[tab];
  return (
    <>
      <ScreenHead title={`${texts.title} · ${texts.tabs[tab]}`}>
        <CodeButton
          examples={[
            curlOf(route, environment),
            nodeOf(environment, methods[route]),
            ...(route === "getSqlAccess"
              ? [cliOf(`sql-access show --environment ${quote(environment)}`)]
              : []),
          ]}
        />
      </ScreenHead>
      <div className="page-scroll">
        <LinkTabs
          tabs={Object.entries(texts.tabs).map(([id, text]) => ({
            id,
            text,
            target: { to: `${homeOf(environment)}/settings/${id}` },
            isCurrent: id === tab,
          }))}
        />
        <Tab />
      </div>
    </>
  );
}

/** What the client for Node calls these. */
const methods = {
  getEnvironmentSettings: "environment.getSettings()",
  getWebhookSettings: "webhookSettings.get()",
  listEnvironmentVariables: "variables.list()",
  getSqlAccess: "sqlAccess.get()",
} as const;

function isTab(name: string): name is TabName {
  return Object.hasOwn(tabs, name);
}
