// Owns what code records with: metrics, and the spans of traces. Knows nothing of who reads them (`telemetry`), and
// costs next to nothing while nobody does. A slice defines its metrics where it records them.
export { findSpanOfStatement, withinSpan } from "./current-span.ts";
export {
  bindMetrics,
  defineCounter,
  defineGauge,
  defineHistogram,
  defineObservedCounter,
  listMetrics,
} from "./metric.ts";
export { noSpan, type Span, type SpanStart } from "./span.ts";
export { traced } from "./traced.ts";
