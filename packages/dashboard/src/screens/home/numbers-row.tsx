import { useQuery } from "@tanstack/react-query";
import { connectionCountsQuery } from "../../data/connections.ts";
import {
  type MetricRange,
  type MetricTotal,
  operationCountsQuery,
  seriesQuery,
  totalBeforeQuery,
  totalsQuery,
} from "../../data/observe/metrics.ts";
import { everyStep, totalOf } from "../../data/observe/operation-points.ts";
import { Sparkline } from "../../parts/charts/sparkline.tsx";
import { formatNumber, formatSpan } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Change } from "./change.tsx";
import { FailedFigure, RecordsFigure, WebhooksFigure } from "./data-figures.tsx";
import { Figure } from "./figure.tsx";

/** The few figures that say how an environment is doing, each with the list behind it. */
export function NumbersRow({ range }: { range: MetricRange }) {
  const { home: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const base = homeOf(environment);
  const mayReadRecords = useMay("environment:records:read");
  const mayReadWebhooks = useMay("environment:webhooks:read");
  const connections = useQuery(connectionCountsQuery(environment));
  const totals = useQuery(totalsQuery(environment, range));
  const states = connections.data?.by_state;
  const all = connections.data?.total ?? 0;
  const [total] = totals.data ?? [];
  const bad = (total?.failed ?? 0) + (total?.timeout ?? 0);
  const trouble =
    states === undefined
      ? []
      : [
          { state: "needs_reauthorization", text: texts.reauthorize },
          { state: "backoff", text: texts.retrying },
          { state: "pending", text: texts.pending },
        ].flatMap(({ state, text }) => {
          const count = Object(states)[state];
          return count > 0
            ? [
                <Go key={state} target={{ to: `${base}/connections`, search: { state } }}>
                  {text(formatNumber(count))}
                </Go>,
              ]
            : [];
        });
  return (
    <div className="numbers">
      {connections.isError ? (
        <FailedFigure title={texts.connections} list={connections} />
      ) : (
        <Figure title={texts.connections} target={{ to: `${base}/connections` }} isReady={!!states}>
          <strong>
            {all === 0
              ? texts.noConnections
              : texts.working(formatNumber(states?.ok ?? 0), formatNumber(all))}
          </strong>
          {trouble}
        </Figure>
      )}
      {totals.isError ? (
        <FailedFigure title={texts.operations} list={totals} />
      ) : (
        <>
          <Figure
            title={texts.operations}
            target={{ to: `${base}/operations` }}
            isReady={totals.data !== undefined}
          >
            <strong>{formatNumber(total?.operations ?? 0)}</strong>
            {bad === 0 ? (
              <span className="soft">{texts.noneFailed}</span>
            ) : (
              <Go
                target={{
                  to: `${base}/operations`,
                  search: { states: "failed,timeout", range: range === "30d" ? "all" : range },
                }}
              >
                {texts.failed(formatNumber(bad))}
              </Go>
            )}
            <ChangeOfTotal range={range} of={({ operations }) => operations} words={texts.change} />
            <OperationsLine range={range} />
          </Figure>
          <Figure title={texts.took} isReady={totals.data !== undefined}>
            <strong>
              {typeof total?.duration_p95_ms === "number"
                ? texts.p95(formatSpan(total.duration_p95_ms))
                : tables.nothing}
            </strong>
            {typeof total?.duration_p50_ms === "number" && (
              <span className="soft">{texts.p50(formatSpan(total.duration_p50_ms))}</span>
            )}
            <ChangeOfTotal
              range={range}
              of={({ duration_p95_ms: took }) => took}
              words={texts.changeOfTime}
            />
            <TimesLine range={range} />
          </Figure>
        </>
      )}
      {mayReadRecords && <RecordsFigure range={range} />}
      {mayReadWebhooks && <WebhooksFigure />}
    </div>
  );
}

/** The same figure of the time before, to compare with. */
function ChangeOfTotal({
  range,
  of,
  words,
}: {
  range: MetricRange;
  of: (total: MetricTotal) => number | null;
  words: (share: string, isMore: boolean, before: string) => string;
}) {
  const { name: environment } = useEnvironment();
  const [now] = useQuery(totalsQuery(environment, range)).data ?? [];
  const { data: before } = useQuery(totalBeforeQuery(environment, range));
  return <Change range={range} now={now && of(now)} before={before && of(before)} words={words} />;
}

function OperationsLine({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data } = useQuery(operationCountsQuery(environment, range));
  const values = data === undefined ? [] : everyStep(data).map(totalOf);
  const label = texts.sparkOperations(formatNumber(Math.max(0, ...values)));
  return <Sparkline values={values} label={label} />;
}

function TimesLine({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data } = useQuery(seriesQuery(environment, range, { of: "duration_p95" }));
  const values = data?.data[0]?.points.map(({ value }) => value) ?? [];
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  return <Sparkline values={values} label={texts.sparkTook(formatSpan(most))} />;
}
