import { useQuery } from "@tanstack/react-query";
import { type MetricRange, type MetricTotal, totalsQuery } from "../../data/observe/metrics.ts";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** Operations by integration, the busiest first. */
export function TotalsCard({ range }: { range: MetricRange }) {
  const { home: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(totalsQuery(environment, range, "integration"));
  const nameOf = ({ name, is_rest: isRest }: MetricTotal) =>
    isRest ? texts.rest : (name ?? texts.none);
  const columns = [
    { header: texts.integration, cell: (total: MetricTotal) => plainText(nameOf(total)) },
    {
      header: texts.count,
      isNumber: true,
      cell: ({ operations }: MetricTotal) => formatNumber(operations),
    },
    {
      header: texts.failures,
      isNumber: true,
      cell: ({ failed, timeout }: MetricTotal) => formatNumber(failed + timeout),
    },
    {
      header: texts.share,
      isNumber: true,
      cell: ({ success, operations }: MetricTotal) =>
        operations === 0 ? tables.nothing : percent.format(success / operations),
    },
    {
      header: texts.duration,
      isNumber: true,
      cell: ({ duration_p95_ms: p95 }: MetricTotal) =>
        p95 === null ? tables.nothing : formatSpan(p95),
    },
  ];
  return (
    <Card title={texts.totals}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={3} />}
      {query.data?.length === 0 && <p className="soft padded">{texts.noOperations}</p>}
      {query.data !== undefined && query.data.length > 0 && (
        <PlainTable label={texts.totals} columns={columns} rows={query.data} keyOf={nameOf} />
      )}
    </Card>
  );
}
