import { isMetricRange, type MetricRange } from "../../data/observe/metrics.ts";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { DurationsCard, OperationsCard } from "./charts.tsx";
import { DeploymentsCard } from "./deployments-card.tsx";
import { FirstSteps } from "./first-steps.tsx";
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
