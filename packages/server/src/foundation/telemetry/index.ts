// Owns who reads what the code records: /metrics, and OTLP. The SDK of OpenTelemetry is loaded only where one of them
// is asked for.
export {
  type Backlog,
  COUNTED_AT_MOST,
  observeDatabase,
  type ReadBacklog,
} from "./database-gauges.ts";
export type { ProcessMetrics } from "./metrics-text.ts";
export { type OtlpSettings, samplerNames, type TelemetrySettings } from "./settings.ts";
export {
  type ReadOthers,
  startTelemetry,
  type TelemetryOptions,
} from "./start-telemetry.ts";
