import { useQuery } from "@tanstack/react-query";
import { functionsQuery, type Integration, integrationQuery } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Logo } from "../../parts/logo.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { rateLimitsPage } from "../rate-limits/rate-limit-words.ts";
import { WebhookRulesButton } from "../webhooks/webhook-rules.tsx";
import { FunnelCard } from "./funnel-card.tsx";
import { IntakeCard } from "./intake-card.tsx";
import { OpenapiCard } from "./openapi/openapi-card.tsx";
import { UpstreamCard } from "./upstream/upstream-card.tsx";

/** One integration: what to register at the provider, and its functions. */
export function IntegrationScreen() {
  const { integrations: texts, webhooks, rateLimits } = useTexts();
  const { name: environment } = useEnvironment();
  const { integration: key = "" } = usePathValues();
  const query = useQuery(integrationQuery(environment, key));
  const base = `/${encodeURIComponent(environment)}`;
  return (
    <DetailScreen
      query={query}
      title={(integration) => integration?.display_name ?? key}
      parent={{ text: texts.title, target: { to: `${base}/integrations` } }}
      badge={({ display_name: name, logo }) => <Logo name={name} logo={logo} />}
      examples={[
        curlOf("getIntegration", environment, { params: { uniqueKey: key } }),
        nodeOf(environment, `integrations.get({ uniqueKey: ${JSON.stringify(key)} })`),
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
        <div className="columns">
          <div className="stack">
            <Addresses integration={integration} />
            <Functions integration={integration} />
            <UpstreamCard integration={key} />
            <OpenapiCard integration={integration.unique_key} />
          </div>
          <div className="stack">
            <FunnelCard integration={integration} />
            <IntakeCard integration={key} />
            <About integration={integration} />
            {integration.settings !== undefined && (
              <Card title={texts.settings}>
                <JsonView label={texts.settings} value={integration.settings} />
              </Card>
            )}
          </div>
        </div>
      )}
    </DetailScreen>
  );
}

/** What the provider has to know of this server. */
function Addresses({ integration }: { integration: Integration }) {
  const { integrations: texts } = useTexts();
  const addresses = [
    [texts.callback, integration.callback_url],
    [texts.webhookUrl, integration.webhook_url],
  ] as const;
  return addresses.map(([title, address]) =>
    typeof address !== "string" ? null : (
      <Card key={title} title={title} actions={<CopyButton isSmall text={() => address} />}>
        <p className="mono padded">{address}</p>
      </Card>
    ),
  );
}

function About({ integration }: { integration: Integration }) {
  const { integrations: texts, tables } = useTexts();
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [
            texts.key,
            <span className="mono" key="key">
              {plainText(integration.unique_key)}
            </span>,
          ],
          [texts.provider, plainText(integration.provider)],
          [texts.created, formatDay(integration.created_at)],
          [texts.forward, integration.forward_webhooks ? tables.yes : tables.no],
        ]}
      />
    </Card>
  );
}

function Functions({ integration }: { integration: Integration }) {
  const { integrations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(functionsQuery(environment, integration.unique_key));
  return (
    <Card title={texts.functions}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} />}
      {query.data?.length === 0 && <Empty title={texts.noFunctions} />}
      <ol className="runs">
        {query.data?.map(({ name, type, enabled, version }) => (
          <li key={`${type} ${name}`}>
            <Badge tone={enabled ? "good" : "idle"}>{type}</Badge>
            <Go
              target={{
                to: `/${encodeURIComponent(environment)}/operations`,
                search: { integrations: integration.unique_key, functions: name, range: "7d" },
              }}
            >
              {plainText(name, 60)}
            </Go>
            <span />
            <span className="number mono">{version}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
