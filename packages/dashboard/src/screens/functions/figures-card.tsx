import { useQuery } from "@tanstack/react-query";
import { operationTypes } from "../../data/functions/function-times.ts";
import type { FunctionName } from "../../data/functions/functions.ts";
import {
  isMetricRange,
  type MetricRange,
  type MetricTotal,
  totalsQuery,
} from "../../data/observe/metrics.ts";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { formatNumber, formatShare, formatSpan } from "../../parts/formats.ts";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { functionPageTexts } from "../../texts/functions/function-page.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** How often it ran in a time, how often that failed, and how long it took. */
export function FiguresCard({ name }: { name: FunctionName }) {
  const { home } = useTexts();
  const texts = useTextsOf(functionPageTexts);
  const { name: environment } = useEnvironment();
  const may = useMay("environment:logs:read");
  const { words, change } = useAddress();
  const range: MetricRange = isMetricRange(words["range"]) ? words["range"] : "24h";
  const filter = {
    types: operationTypes[name.type],
    integrations: name.integration,
    functions: name.name,
  };
  const query = useQuery({
    ...totalsQuery(environment, range, undefined, filter),
    enabled: may,
  });
  if (!may) return null;
  return (
    <Card
      title={texts.figures}
      actions={
        <SingleSelect
          label={texts.range}
          chosen={range}
          choices={choicesOf(home.ranges)}
          onChange={(next) =>
            change({ range: next === "24h" ? undefined : next }, { replace: true })
          }
        />
      }
    >
      {query.isError ? (
        <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Skeleton rows={4} />
      ) : (
        <Figures total={query.data[0]} />
      )}
    </Card>
  );
}

function Figures({ total }: { total: MetricTotal | undefined }) {
  const texts = useTextsOf(functionPageTexts);
  if (total === undefined || total.operations === 0) {
    return <p className="soft padded">{texts.none}</p>;
  }
  const failed = total.failed + total.timeout;
  const { duration_p50_ms: median, duration_p95_ms: slow } = total;
  return (
    <Facts
      rows={[
        [texts.runs, formatNumber(total.operations)],
        [
          texts.failed,
          texts.failedOf(formatShare(failed / total.operations), formatNumber(failed)),
        ],
        [texts.median, median !== null && formatSpan(median)],
        [texts.slow, slow !== null && formatSpan(slow)],
      ]}
    />
  );
}
