import { useQuery } from "@tanstack/react-query";
import { type MetricRange, operationCountsQuery, seriesQuery } from "../../data/observe/metrics.ts";
import { everyStep, type OperationPoint, totalOf } from "../../data/observe/operation-points.ts";
import { ChartCard } from "../../parts/charts/chart-card.tsx";
import { formatNumber, formatShortDay, formatSpan } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** How operations ended, over time. */
export function OperationsCard({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(operationCountsQuery(environment, range));
  const points = query.data === undefined ? [] : everyStep(query.data);
  const sum = (of: (point: OperationPoint) => number) =>
    points.reduce((all, point) => all + of(point), 0);
  const total = sum(totalOf);
  const peak = points.toSorted((one, other) => totalOf(other) - totalOf(one))[0];
  if (query.isError || query.data === undefined || total === 0) {
    return (
      <Card title={texts.chart}>
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        <div className="soft padded chart-none">
          {query.isLoading ? <Skeleton rows={3} /> : query.data && texts.noOperations}
        </div>
      </Card>
    );
  }
  const words = [
    texts.chartSentence(
      formatNumber(total),
      formatNumber(sum(({ bad }) => bad)),
      texts.ranges[range],
    ),
    peak && texts.peak(formatNumber(totalOf(peak)), formatShortDay(peak.at)),
  ];
  return (
    <ChartCard
      look="bars"
      title={texts.chart}
      sentence={words.join(" ")}
      points={points}
      series={[
        { id: "success", name: texts.success, colour: "var(--good)" },
        { id: "bad", name: texts.bad, colour: "var(--bad)" },
        { id: "cancelled", name: texts.cancelled, colour: "var(--edge)" },
      ]}
      formatAt={formatShortDay}
      formatValue={formatNumber}
    />
  );
}

/** How long operations took, over time: half of them, and nearly all. */
export function DurationsCard({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const half = useQuery(seriesQuery(environment, range, { of: "duration_p50" }));
  const most = useQuery(seriesQuery(environment, range, { of: "duration_p95" }));
  const p95 = most.data?.data[0]?.points ?? [];
  const p50 = half.data?.data[0]?.points ?? [];
  const longest = p95
    .filter((point) => point.value !== null)
    .toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0))[0];
  if (longest === undefined) {
    return (
      <Card title={texts.took}>
        {most.isError && <FaultBanner error={most.error} onRetry={() => void most.refetch()} />}
        <div className="soft padded chart-none">
          {most.isLoading ? <Skeleton rows={3} /> : most.data && texts.noOperations}
        </div>
      </Card>
    );
  }
  return (
    <ChartCard
      look="lines"
      title={texts.took}
      sentence={texts.longest(formatSpan(longest.value ?? 0), formatShortDay(longest.at))}
      points={p95.map(({ at, value }, index) => ({
        at,
        p95: value,
        p50: p50[index]?.value ?? null,
      }))}
      series={[
        { id: "p50", name: texts.halfOf, colour: "var(--run)" },
        { id: "p95", name: texts.mostOf, colour: "var(--warn)" },
      ]}
      formatAt={formatShortDay}
      formatValue={formatSpan}
    />
  );
}
