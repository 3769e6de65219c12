import { useQuery } from "@tanstack/react-query";
import { saveFile } from "../../data/download.ts";
import {
  type Measure,
  type MetricFilter,
  type MetricRange,
  type MetricSeries,
  seriesQuery,
} from "../../data/observe/metrics.ts";
import type { ChartPoint } from "../../parts/charts/chart.ts";
import { ChartCard } from "../../parts/charts/chart-card.tsx";
import { toCsv } from "../../parts/csv.ts";
import { formatNumber, formatShortDay } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type Breakdown, formatMeasure, isDuration, nameOf } from "./metric-words.ts";

/** More lines or colours than these cannot be distinguished; the table and the file have all. */
const MOST_DRAWN = 6;

export interface MetricView {
  readonly range: MetricRange;
  readonly measure: Measure;
  readonly by: Breakdown | undefined;
  readonly filter: MetricFilter;
}

/** One measure over time, a series for each name. */
export function SeriesCard({ range, measure, by, filter }: MetricView) {
  const { metrics: texts, home, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(seriesQuery(environment, range, { of: measure, by, ...filter }));
  const all = query.data?.data ?? [];
  const title = texts.measures[measure];
  const named = all.map((series) => ({ ...series, title: nameOf(series, by, texts) }));
  const count = all.reduce((sum, { operations }) => sum + operations, 0);
  if (query.isError || query.data === undefined || count === 0) {
    return (
      <Card title={title}>
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <p className="soft padded chart-none">{shell.loading}</p>}
        {query.data && <Empty title={texts.empty} text={texts.emptyText} />}
      </Card>
    );
  }
  const format = formatMeasure(measure);
  const drawn = isDuration(measure) ? named.slice(0, MOST_DRAWN) : withRest(named, texts.rest);
  const points = pointsOf(drawn);
  const [highest] = drawn
    .flatMap((series) => series.points.map((point) => ({ ...point, title: series.title })))
    .toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
  const sum = named.reduce((total, series) => total + sumOf(series), 0);
  const words = [
    ...(isDuration(measure) ? [] : [texts.sum(formatNumber(sum), home.ranges[range])]),
    ...(highest === undefined || highest.value === null
      ? []
      : [texts.highest(format(highest.value), highest.title, formatShortDay(highest.at))]),
  ];
  return (
    <ChartCard
      look={isDuration(measure) ? "lines" : "bars"}
      title={title}
      sentence={words.join(" ")}
      points={points}
      series={drawn.map(({ title: name }, place) => ({
        id: `s${place}`,
        name,
        colour: `var(--series-${place + 1})`,
      }))}
      formatAt={formatShortDay}
      formatValue={format}
      actions={
        <ScopedButton
          scope={undefined}
          look="small"
          onPress={() => saveSeries(named, { environment, range, measure })}
        >
          {texts.csvSeries}
        </ScopedButton>
      }
    />
  );
}

interface NamedSeries extends MetricSeries {
  readonly title: string;
}

function sumOf({ points }: MetricSeries): number {
  return points.reduce((sum, { value }) => sum + (value ?? 0), 0);
}

/** Counts add up: what is not drawn by itself is drawn as one. */
function withRest(all: readonly NamedSeries[], rest: string): readonly NamedSeries[] {
  if (all.length <= MOST_DRAWN) return all;
  const shown = all.slice(0, MOST_DRAWN - 1);
  const others = all.slice(MOST_DRAWN - 1);
  const [first] = others;
  if (first === undefined) return shown;
  const points = first.points.map(({ at }, place) => ({
    at,
    value: others.reduce((sum, series) => sum + (series.points[place]?.value ?? 0), 0),
  }));
  return [...shown, { ...first, title: rest, points }];
}

function pointsOf(series: readonly NamedSeries[]): ChartPoint[] {
  return (series[0]?.points ?? []).map(({ at }, step) => ({
    at,
    ...Object.fromEntries(
      series.map(({ points }, place) => [`s${place}`, points[step]?.value ?? null]),
    ),
  }));
}

/** Every series of the answer, a line for each step. */
function saveSeries(
  series: readonly NamedSeries[],
  { environment, range, measure }: { environment: string; range: MetricRange; measure: Measure },
): void {
  const head = ["at", ...series.map(({ title }) => title)];
  const rows = (series[0]?.points ?? []).map(({ at }, step) => [
    at,
    ...series.map(({ points }) => points[step]?.value ?? null),
  ]);
  const blob = new Blob([toCsv(head, rows)], { type: "text/csv" });
  saveFile(blob, `${environment}-${measure}-${range}.csv`);
}
