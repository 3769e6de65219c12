import { useQuery } from "@tanstack/react-query";
import { saveFile } from "../../data/download.ts";
import { type MetricTotal, totalsQuery } from "../../data/observe/metrics.ts";
import { toCsv } from "../../parts/csv.ts";
import { formatNumber, formatSpan } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { type PlainColumn, PlainTable } from "../../parts/plain-table.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { nameOf } from "./metric-words.ts";
import type { MetricView } from "./series-card.tsx";

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** The same as figures of the whole time, each name with the operations behind it. */
export function MetricTotals({ range, by, filter }: MetricView) {
  const { metrics: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(totalsQuery(environment, range, by, filter));
  const totals = query.data ?? [];
  const titleOf = (total: MetricTotal) => nameOf(total, by, texts);
  const words = { type: "types", integration: "integrations", function: "functions" } as const;
  const behind = (total: MetricTotal) => ({
    to: `${homeOf(environment)}/operations`,
    search: {
      ...filter,
      range: range === "30d" ? "all" : range,
      ...(by === undefined ? {} : { [words[by]]: total.name ?? undefined }),
    },
  });
  const span = (value: number | null) => (value === null ? tables.nothing : formatSpan(value));
  const columns: readonly PlainColumn<MetricTotal>[] = [
    {
      header: texts.name,
      cell: (total) =>
        total.is_rest || (by !== undefined && total.name === null) ? (
          titleOf(total)
        ) : (
          <Go target={behind(total)}>{titleOf(total)}</Go>
        ),
    },
    {
      header: texts.operations,
      isNumber: true,
      cell: ({ operations }) => formatNumber(operations),
    },
    { header: texts.failed, isNumber: true, cell: ({ failed }) => formatNumber(failed) },
    { header: texts.timeout, isNumber: true, cell: ({ timeout }) => formatNumber(timeout) },
    { header: texts.cancelled, isNumber: true, cell: ({ cancelled }) => formatNumber(cancelled) },
    {
      header: texts.share,
      isNumber: true,
      cell: ({ failed, timeout, operations }) =>
        operations === 0 ? tables.nothing : percent.format((failed + timeout) / operations),
    },
    { header: texts.mean, isNumber: true, cell: (total) => span(total.duration_avg_ms) },
    { header: texts.p50, isNumber: true, cell: (total) => span(total.duration_p50_ms) },
    { header: texts.p95, isNumber: true, cell: (total) => span(total.duration_p95_ms) },
  ];
  return (
    <Card
      title={texts.totals}
      actions={
        <ScopedButton
          scope={undefined}
          look="small"
          isDisabled={totals.length === 0}
          onPress={() =>
            saveFile(
              new Blob([totalsCsv(totals, titleOf)], { type: "text/csv" }),
              `${environment}-totals-${range}.csv`,
            )
          }
        >
          {texts.csvTotals}
        </ScopedButton>
      }
    >
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={3} />}
      {totals.length > 0 && (
        <PlainTable label={texts.totals} columns={columns} rows={totals} keyOf={titleOf} />
      )}
      <p className="soft padded">{query.data?.length === 0 ? texts.empty : texts.totalsText}</p>
    </Card>
  );
}

/** Columns are named as in the API; durations are milliseconds. */
function totalsCsv(
  totals: readonly MetricTotal[],
  titleOf: (total: MetricTotal) => string,
): string {
  const fields = [
    "operations",
    "success",
    "failed",
    "timeout",
    "cancelled",
    "duration_avg_ms",
    "duration_p50_ms",
    "duration_p95_ms",
  ] as const;
  return toCsv(
    ["name", ...fields],
    totals.map((total) => [titleOf(total), ...fields.map((field) => total[field])]),
  );
}
