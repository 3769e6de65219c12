import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { emptyResource } from "@opentelemetry/resources";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import { PROCESS_UP } from "./process-metrics.ts";

/** The metrics of one process, whose series bear its name. */
export interface ProcessMetrics {
  readonly process: string;
  readonly metrics: readonly MetricData[];
}

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

// Without the version of the library and the attributes of the resource: they are the same for all series.
// Process-wide: it keeps nothing.
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

/** The metrics of all processes of an installation on this machine as Prometheus reads them. */
export function toMetricsText(processes: readonly ProcessMetrics[]): string {
  const [own] = processes;
  const metrics = processes.flatMap(({ process, metrics }) =>
    (metrics.length > 0 ? metrics : markMissing(own)).map((metric) => withProcess(metric, process)),
  );
  const scopeMetrics = [{ scope: { name: "jackfield" }, metrics }];
  return `${serializer.serialize({ resource: emptyResource(), scopeMetrics })}\n`;
}

/** What a process that did not answer would have said of itself, as 0. */
function markMissing(own: ProcessMetrics | undefined): MetricData[] {
  return (own?.metrics ?? [])
    .filter(({ descriptor }) => descriptor.name === PROCESS_UP)
    .map((metric) =>
      asSameKind(
        metric,
        metric.dataPoints.map((point) => ({ ...point, value: 0 })),
      ),
    );
}

function withProcess(metric: MetricData, process: string): MetricData {
  const dataPoints = metric.dataPoints.map((point) => ({
    ...point,
    attributes: { ...point.attributes, process },
  }));
  return asSameKind(metric, dataPoints);
}

// The points are those of the metric, with other attributes or, of a gauge, another value.
function asSameKind(metric: MetricData, dataPoints: readonly object[]): MetricData {
  return { ...metric, dataPoints } as MetricData;
}
