import { useQuery } from "@tanstack/react-query";
import { type Integration, stagesQuery } from "../../data/integrations.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type FunnelStep, findLargestLoss, toFunnel } from "./funnel.ts";

/** How far end users come when they connect, and where most of them stop. */
export function FunnelCard({ integration }: { integration: Integration }) {
  const { funnel: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:providers:read");
  const query = useQuery({ ...stagesQuery(environment, integration.provider), enabled: may });
  if (!may) return null;
  const steps = toFunnel(query.data ?? []);
  return (
    <Card title={texts.title}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && steps.length === 0 && <Empty title={texts.none} />}
      {steps.length > 0 && <Funnel steps={steps} integration={integration} />}
      <p className="padded soft">{texts.about(plainText(integration.provider))}</p>
    </Card>
  );
}

function Funnel({
  steps,
  integration,
}: {
  steps: readonly FunnelStep[];
  integration: Integration;
}) {
  const { funnel: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const loss = findLargestLoss(steps);
  const most = Math.max(...steps.map(({ reached }) => reached));
  return (
    <>
      <PlainTable
        label={texts.title}
        keyOf={({ stage }) => stage}
        rows={steps}
        columns={[
          { header: texts.stage, cell: ({ stage }) => texts.stages[stage] },
          {
            header: texts.reached,
            cell: ({ stage, reached }) => (
              <progress
                className="bulk-progress"
                aria-label={texts.reachedBy(texts.stages[stage], formatNumber(reached))}
                max={most}
                value={reached}
              />
            ),
          },
          {
            header: texts.succeeded,
            isNumber: true,
            cell: ({ succeeded }) => formatNumber(succeeded),
          },
          { header: texts.failed, isNumber: true, cell: ({ failed }) => formatNumber(failed) },
          { header: texts.lost, isNumber: true, cell: ({ lost }) => formatNumber(lost) },
        ]}
      />
      {loss !== undefined && (
        <p className="padded">
          {texts.mostEnd(
            texts.stages[loss.stage],
            texts.losses[loss.kind](formatNumber(loss.count)),
          )}{" "}
          <Go
            target={{
              to: `/${encodeURIComponent(environment)}/operations`,
              search: {
                ...{ integrations: integration.unique_key, types: "auth" },
                ...{ states: "failed", range: "7d" },
              },
            }}
          >
            {texts.operations}
          </Go>
        </p>
      )}
    </>
  );
}
