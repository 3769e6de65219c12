import type { Resource } from "@opentelemetry/resources";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import { messageOf } from "../errors.ts";
import { bindMetrics } from "../instruments/index.ts";
import type { Logger } from "../logger/index.ts";
import type { OtlpSettings } from "./settings.ts";

/** Most combinations of labels of one metric; more are shown as one. */
const MOST_SERIES = 4000;
const COLLECT_WITHIN_MS = 900;

/** The metrics of this process. */
export interface Metrics extends AsyncDisposable {
  /** As they are now, within a second; what does not answer until then is left out. */
  read(): Promise<readonly MetricData[]>;
}

export interface MetricsOptions {
  /** Without it nothing is kept for `read`. */
  readonly isRead: boolean;
  readonly otlp: OtlpSettings;
  readonly resource: Resource;
  readonly log: Logger;
}

/** Loads the SDK and lets it see what is recorded: for /metrics, and for OTLP where that is asked for. */
export async function startMetrics({
  isRead,
  otlp,
  resource,
  log,
}: MetricsOptions): Promise<Metrics> {
  const sdk = await import("@opentelemetry/sdk-metrics");
  const { PrometheusExporter } = await import("@opentelemetry/exporter-prometheus");
  // Its own server knows neither keys nor other processes; here it is the reader only.
  const reader = new PrometheusExporter({ preventServerStart: true });
  reader.selectCardinalityLimit = () => MOST_SERIES;
  const exporter = await createExporter(otlp);
  const pushing =
    exporter === undefined
      ? []
      : [
          new sdk.PeriodicExportingMetricReader({
            exporter,
            exportIntervalMillis: otlp.metricsEveryMs,
            exportTimeoutMillis: Math.min(otlp.metricsEveryMs, 30_000),
          }),
        ];
  const provider = new sdk.MeterProvider({
    resource,
    readers: [...(isRead ? [reader] : []), ...pushing],
  });
  const binding = bindMetrics(provider.getMeter("jackfield"));
  return {
    async read() {
      if (!isRead) return [];
      const { resourceMetrics, errors } = await reader.collect({
        timeoutMillis: COLLECT_WITHIN_MS,
      });
      for (const error of errors) log.warn("metrics.source_failed", { reason: messageOf(error) });
      return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    },
    async [Symbol.asyncDispose]() {
      binding[Symbol.dispose]();
      // A receiver that is away must not hold up the stop.
      await provider
        .shutdown({ timeoutMillis: 2000 })
        .catch((error: unknown) => log.warn("metrics.not_sent", { reason: messageOf(error) }));
    },
  };
}

async function createExporter({ metrics }: OtlpSettings) {
  if (metrics === undefined) return undefined;
  const { OTLPMetricExporter } =
    metrics === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  return new OTLPMetricExporter();
}
