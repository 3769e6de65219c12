import { useQuery } from "@tanstack/react-query";
import { histogramQuery } from "../../data/observe/metrics.ts";
import { everyStep, stepLengths, totalOf } from "../../data/observe/operation-points.ts";
import type { OperationFilter } from "../../data/operations.ts";
import type { FixedPeriod, Period } from "../../data/ranges.ts";
import { ChartCard } from "../../parts/charts/chart-card.tsx";
import { periodText } from "../../parts/filters/period-select.tsx";
import { formatNumber, formatShortDay } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** How the listed operations ended, over the time of the list; a part of it can be chosen. */
export function OperationHistogram({
  filter,
  period,
  onZoom,
}: {
  filter: OperationFilter;
  period: Period;
  onZoom: (period: FixedPeriod) => void;
}) {
  const { operations: texts, home, tables } = useTexts();
  const { name: environment } = useEnvironment();
  // Operations are counted by these three, in any state.
  const { types, integrations, functions, states: _states, ...others } = filter;
  const isCounted = Object.values(others).every((word) => word === undefined);
  const query = useQuery({
    ...histogramQuery(environment, period, { types, integrations, functions }),
    enabled: isCounted,
  });
  const points = query.data === undefined || !isCounted ? [] : everyStep(query.data);
  const sum = points.reduce((all, point) => all + totalOf(point), 0);
  if (sum === 0 || query.data === undefined) {
    return (
      <Card title={home.chart}>
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        <div className="soft padded histogram-none">
          {isCounted ? query.data && home.noOperations : texts.notCounted}
          {query.isLoading && <Skeleton rows={3} />}
        </div>
      </Card>
    );
  }
  const length = stepLengths[query.data.step];
  const bad = points.reduce((all, point) => all + point.bad, 0);
  return (
    <ChartCard
      look="bars"
      height={120}
      title={home.chart}
      sentence={home.chartSentence(
        formatNumber(sum),
        formatNumber(bad),
        periodText(tables, period),
      )}
      points={points}
      series={[
        { id: "success", name: home.success, colour: "var(--good)" },
        { id: "bad", name: home.bad, colour: "var(--bad)" },
        { id: "cancelled", name: home.cancelled, colour: "var(--edge)" },
      ]}
      formatAt={formatShortDay}
      formatValue={formatNumber}
      onChoose={(from, lastStep) =>
        onZoom({ from, to: new Date(Date.parse(lastStep) + length).toISOString() })
      }
    />
  );
}
