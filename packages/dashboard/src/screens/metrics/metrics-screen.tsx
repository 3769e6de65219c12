import { isMetricRange, type MetricFilter, type MetricRange } from "../../data/observe/metrics.ts";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { OperationFilters } from "../operations/operation-filters.tsx";
import { MetricTotals } from "./metric-totals.tsx";
import { breakdownOf, measureOf } from "./metric-words.ts";
import { SeriesCard } from "./series-card.tsx";

/** How much happens, how often it fails and how long it takes: over time, and as totals. */
export function MetricsScreen() {
  const { metrics: texts, home } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const range: MetricRange = isMetricRange(words["range"]) ? words["range"] : "24h";
  const { types, integrations, functions } = words;
  const filter: MetricFilter = { types, integrations, functions };
  const view = { range, measure: measureOf(words, texts), by: breakdownOf(words), filter };
  const query = Object({ of: view.measure, by: view.by, ...filter });
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton
          examples={[
            curlOf("getMetricSeries", environment, { query }),
            nodeOf(environment, `metrics.getSeries(${JSON.stringify(query)})`),
          ]}
        />
        <SingleSelect
          label={home.range}
          chosen={range}
          choices={choicesOf(home.ranges)}
          onChange={(next) => change({ range: next }, { replace: true })}
        />
      </ScreenHead>
      <div className="filters">
        <SingleSelect
          label={texts.measure}
          chosen={view.measure}
          choices={choicesOf(texts.measures)}
          onChange={(of) => change({ of })}
        />
        <SingleSelect
          label={texts.by}
          chosen={view.by ?? "none"}
          choices={choicesOf(texts.bys)}
          onChange={(by) => change({ by })}
        />
        <OperationFilters
          of={["types", "integrations", "functions"]}
          environment={environment}
          words={words}
          onChange={change}
        />
      </div>
      <div className="page-scroll">
        <div className="stack">
          <SeriesCard {...view} />
          <MetricTotals {...view} />
        </div>
      </div>
    </>
  );
}
