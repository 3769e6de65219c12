import { useQuery } from "@tanstack/react-query";
import { functionsQuery, type Integration } from "../../../data/integrations.ts";
import { Badge } from "../../../parts/badge.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatDay, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { FunnelCard } from "../funnel-card.tsx";
import { IntakeCard } from "../intake-card.tsx";
import { OpenapiCard } from "../openapi/openapi-card.tsx";
import { UpstreamCard } from "../upstream/upstream-card.tsx";

/** What to register at the provider, the functions, and how it works. */
export function OverviewTab({ integration }: { integration: Integration }) {
  const { unique_key: key } = integration;
  return (
    <div className="columns">
      <div className="stack">
        <Addresses integration={integration} />
        <Functions integration={integration} />
        <UpstreamCard integration={key} />
        <OpenapiCard integration={key} />
      </div>
      <div className="stack">
        <FunnelCard integration={integration} />
        <IntakeCard integration={key} />
        <About integration={integration} />
      </div>
    </div>
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
                to: `${homeOf(environment)}/operations`,
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
