import { useQuery } from "@tanstack/react-query";
import { connectionCountsQuery } from "../../data/connections.ts";
import { isMetricRange, type MetricRange, totalsQuery } from "../../data/observe/metrics.ts";
import { simulatorQuery } from "../../data/start/simulator.ts";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { Go } from "../../parts/go.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { DurationsCard, OperationsCard } from "./charts.tsx";
import { DeploymentsCard } from "./deployments-card.tsx";
import { NumbersRow } from "./numbers-row.tsx";
import { ProblemsCard } from "./problems-card.tsx";
import { TotalsCard } from "./totals-card.tsx";

/** How the environment is doing: what is broken first, then how much happened. */
export function HomeScreen() {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const mayListFunctions = useMay("environment:functions:list");
  const mayReadLogs = useMay("environment:logs:read");
  const range: MetricRange = isMetricRange(words["range"]) ? words["range"] : "24h";
  const examples = [
    curlOf("getMetricTotals", environment, { query: { by: "integration" } }),
    nodeOf(environment, `metrics.getTotals({ by: "integration" })`),
  ];
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton examples={examples} />
        <SingleSelect
          label={texts.range}
          chosen={range}
          choices={choicesOf(texts.ranges)}
          onChange={(next) => change({ range: next }, { replace: true })}
        />
      </ScreenHead>
      <div className="page-scroll">
        <div className="stack">
          <FirstSteps />
          <NumbersRow range={range} />
          <ProblemsCard />
          {mayListFunctions && <DeploymentsCard />}
          {mayReadLogs && (
            <>
              <OperationsCard range={range} />
              <div className="halves">
                <DurationsCard range={range} />
                <TotalsCard range={range} />
              </div>
            </>
          )}
        </div>
      </div>
    </>
  );
}

/** In an environment without connections and operations: where to begin. */
function FirstSteps() {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const { data: totals } = useQuery(totalsQuery(environment, "30d"));
  const { data: simulator } = useQuery(simulatorQuery(environment));
  if (counts?.total !== 0 || totals === undefined || totals.length > 0) return null;
  const base = `/${encodeURIComponent(environment)}`;
  const isPlayed = simulator !== undefined && simulator.state !== "unavailable";
  return (
    <section className="card">
      <Empty title={texts.firstTitle} text={isPlayed ? texts.firstPlayed : texts.firstText}>
        <div className="row">
          {isPlayed && (
            <Go className="button primary" target={{ to: `${base}/start` }}>
              {texts.firstSimulated}
            </Go>
          )}
          <Go
            className={isPlayed ? "button" : "button primary"}
            target={{ to: `${base}/catalogue` }}
          >
            {texts.firstAction}
          </Go>
        </div>
      </Empty>
    </section>
  );
}
