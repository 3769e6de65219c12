import { useQuery } from "@tanstack/react-query";
import { type ConnectFunnel, funnelQuery, type Integration } from "../../data/integrations.ts";
import { formatNumber, formatShare, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { connectFunnelTexts } from "../../texts/screens/connect-funnel.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { toFunnel } from "./funnel.ts";

const MOST_REASONS = 5;

/** How far end users come when they connect to an integration, and why attempts fail. */
export function FunnelCard({ integration: { unique_key: key } }: { integration: Integration }) {
  const texts = useTextsOf(connectFunnelTexts);
  const { name: environment } = useEnvironment();
  const may = useMay("environment:connect_sessions:read");
  const query = useQuery({ ...funnelQuery(environment, key), enabled: may });
  if (!may) return null;
  const { data: funnel } = query;
  const isEmpty = funnel === null || (funnel?.sessions === 0 && funnel.started === 0);
  return (
    <Card title={texts.title}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={3} />}
      {isEmpty && <Empty title={texts.none} />}
      {funnel !== undefined && funnel !== null && !isEmpty && <Steps funnel={funnel} />}
      <p className="padded soft">{texts.about}</p>
    </Card>
  );
}

function Steps({ funnel }: { funnel: ConnectFunnel }) {
  const texts = useTextsOf(connectFunnelTexts);
  const rows = toFunnel(funnel);
  const most = Math.max(...rows.map(({ reached }) => reached));
  return (
    <>
      <PlainTable
        label={texts.title}
        keyOf={({ step }) => step}
        rows={rows}
        columns={[
          { header: texts.step, cell: ({ step }) => texts.steps[step] },
          {
            header: texts.reached,
            cell: ({ step, reached }) => (
              <progress
                className="bulk-progress"
                aria-label={texts.reachedBy(texts.steps[step], formatNumber(reached))}
                max={most}
                value={reached}
              />
            ),
          },
          { header: texts.sessions, isNumber: true, cell: ({ reached }) => formatNumber(reached) },
          {
            header: texts.lost,
            isNumber: true,
            cell: ({ lost, lostShare }) =>
              lost === 0 ? "0" : texts.share(formatNumber(lost), formatShare(lostShare)),
          },
        ]}
      />
      <Ends funnel={funnel} />
    </>
  );
}

function Ends({ funnel }: { funnel: ConnectFunnel }) {
  const texts = useTextsOf(connectFunnelTexts);
  const { name: environment } = useEnvironment();
  const { failed, abandoned, failures, provider_config_key: integrations } = funnel;
  if (failed === 0 && abandoned === 0) return null;
  const target = {
    to: `${homeOf(environment)}/operations`,
    search: { integrations, types: "auth", states: "failed", range: "7d" },
  };
  return (
    <>
      <p className="padded">
        {texts.ended(formatNumber(failed), formatNumber(abandoned))}{" "}
        <Go target={target}>{texts.operations}</Go>
      </p>
      {failures.length > 0 && (
        <section aria-label={texts.failures}>
          <Facts
            rows={failures
              .slice(0, MOST_REASONS)
              .map(({ reason, count }) => [plainText(reason, 60), formatNumber(count)])}
          />
        </section>
      )}
    </>
  );
}
