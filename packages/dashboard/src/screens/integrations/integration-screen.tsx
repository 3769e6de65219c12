import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { isNotFound } from "../../data/api.ts";
import { connectionCountsQuery } from "../../data/connections.ts";
import { listAsked } from "../../data/integration-fields.ts";
import { type Integration, integrationQuery } from "../../data/integrations.ts";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatMoment, formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { Logo } from "../../parts/logo.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { integrationFormTexts } from "../../texts/screens/integration-forms.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { rateLimitsPage } from "../rate-limits/rate-limit-words.ts";
import { WebhookRulesButton } from "../webhooks/webhook-rules.tsx";
import { integrationField, integrationPage } from "./integration-words.ts";
import { CredentialsTab } from "./tabs/credentials-tab.tsx";
import { OverviewTab } from "./tabs/overview-tab.tsx";
import { SettingsTab } from "./tabs/settings-tab.tsx";

const tabs = ["overview", "credentials", "settings"] as const;

/** One integration: what to register at the provider, its functions, and how it is set up. */
export function IntegrationScreen() {
  const { integrations: texts, webhooks, rateLimits } = useTexts();
  const { name: environment } = useEnvironment();
  const { integration: key = "" } = usePathValues();
  const query = useQuery(integrationQuery(environment, key));
  const base = homeOf(environment);
  useLeaveWhenGone(query);
  return (
    <DetailScreen
      query={query}
      title={(integration) => integration?.display_name ?? key}
      parent={{ text: texts.title, target: { to: `${base}/integrations` } }}
      badge={({ display_name: name, logo }) => <Logo name={name} logo={logo} />}
      examples={[
        curlOf("getIntegration", environment, { params: { uniqueKey: key } }),
        nodeOf(environment, `integrations.get({ uniqueKey: ${JSON.stringify(key)} })`),
        cliOf(
          `integrations funnel --integration ${quote(key)} --environment ${quote(environment)}`,
        ),
        { ...curlOf("getUpstream", environment, { params: { integration: key } }), name: "MCP" },
      ]}
      actions={() => (
        <>
          <WebhookRulesButton label={webhooks.editRules} integration={key} />
          <Go
            className="button"
            target={{ to: `${base}/connections`, search: { integration: key } }}
          >
            {texts.showConnections}
          </Go>
          <Go className="button" target={rateLimitsPage(environment, key)}>
            {rateLimits.title}
          </Go>
        </>
      )}
    >
      {(integration) => (
        <>
          <DeletingBanner integration={integration} />
          <MissingBanner integration={integration} />
          <Tabs integration={integration} />
        </>
      )}
    </DetailScreen>
  );
}

/** Leads to the list once an integration is gone that was being deleted. */
function useLeaveWhenGone({
  data,
  error,
}: {
  readonly data: Integration | undefined;
  readonly error: unknown;
}): void {
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const isGone = data?.deleting_since !== undefined && isNotFound(error);
  useEffect(() => {
    if (isGone) void navigate({ to: `${homeOf(environment)}/integrations` });
  }, [isGone, navigate, environment]);
}

/** While its connections go, in the background: since when, and how many are left. */
function DeletingBanner({
  integration: { unique_key: key, deleting_since: since },
}: {
  integration: Integration;
}) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const mayCount = useMay("environment:connections:list");
  const { data: counts } = useQuery({
    ...connectionCountsQuery(environment),
    enabled: mayCount && since !== undefined,
  });
  if (since === undefined) return null;
  const left = counts?.by_integration.find(({ provider_config_key: own }) => own === key)?.total;
  return (
    <section className="banner warn" role="status">
      <div>
        <strong>{texts.deletingTitle(formatMoment(since))}</strong>
        <p>
          {texts.deletingText} {left !== undefined && texts.deletingLeft(formatNumber(left))}
        </p>
      </div>
    </section>
  );
}

/** Which of its own credentials the integration still needs, where it was set up without them. */
function MissingBanner({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const missing = listAsked(integration.fields?.credentials ?? {}).filter(
    ([, field]) => field.optional !== true && !field.is_set,
  );
  if (missing.length === 0) return null;
  const names = missing.map(([, { title }]) => plainText(title)).join(", ");
  return (
    <section className="banner warn">
      <div>
        <strong>{texts.missingTitle(names)}</strong>
        <p>{texts.missingText}</p>
      </div>
      <Go className="button" target={integrationField(environment, integration.unique_key)}>
        {texts.enterMissing}
      </Go>
    </section>
  );
}

function Tabs({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const { tab: named } = usePathValues();
  const tab = tabs.find((one) => one === named) ?? "overview";
  return (
    <>
      <LinkTabs
        tabs={tabs.map((one) => ({
          id: one,
          text: texts.tabs[one],
          target: integrationPage(environment, integration.unique_key, one),
          isCurrent: one === tab,
        }))}
      />
      {tab === "overview" && <OverviewTab integration={integration} />}
      {tab === "credentials" && <CredentialsTab integration={integration} />}
      {tab === "settings" && <SettingsTab integration={integration} />}
    </>
  );
}
