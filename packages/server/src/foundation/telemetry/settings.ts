import type { Secret } from "../secret.ts";

export type OtlpProtocol = "http/protobuf" | "http/json";

/** What leaves by OTLP. Where it goes, with which headers and certificates, the SDK's exporters read from `OTEL_*`. */
export interface OtlpSettings {
  readonly traces: OtlpProtocol | undefined;
  readonly metrics: OtlpProtocol | undefined;
  readonly metricsEveryMs: number;
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
  /** Of the batches of spans; the SDK's own unless set. */
  readonly batch: {
    readonly maxQueueSize?: number;
    readonly maxExportBatchSize?: number;
    readonly scheduledDelayMillis?: number;
    readonly exportTimeoutMillis?: number;
  };
}

export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type SamplerName = (typeof samplerNames)[number];

export interface TelemetrySettings {
  /** Where /metrics is served; undefined for nowhere. */
  readonly endpoint:
    | { readonly host: string; readonly port: number; readonly key: Secret<string> | undefined }
    | undefined;
  readonly otlp: OtlpSettings;
  /** Whether calls to providers carry `traceparent`. */
  readonly traceProviders: boolean;
}
