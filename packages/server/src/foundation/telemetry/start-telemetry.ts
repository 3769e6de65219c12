import { noSpan, type Span } from "../instruments/index.ts";
import type { Logger } from "../logger/index.ts";
import { startMetricsEndpoint } from "./metrics-endpoint.ts";
import type { ProcessMetrics } from "./metrics-text.ts";
import { observeProcess } from "./process-metrics.ts";
import type { TelemetrySettings } from "./settings.ts";

/** What the other processes of the same start tell. */
export type ReadOthers = () => Promise<readonly ProcessMetrics[]>;

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly version: string;
  readonly log: Logger;
  readonly readOthers?: ReadOthers | undefined;
  /** Set in a process whose parent serves /metrics for all: called with what reads those of this process. */
  readonly answer?: ((read: () => Promise<ProcessMetrics>) => Disposable) | undefined;
}

/** What a process records; while nobody asks for it, nothing. */
export interface Telemetry extends AsyncDisposable {
  /** What work of its own begins under. */
  readonly root: Span;
  /** The port of /metrics; undefined where it is not served. */
  readonly port: number | undefined;
}

const off: Telemetry = { root: noSpan, port: undefined, [Symbol.asyncDispose]: async () => {} };

/** Starts what the settings ask for. Resolves once /metrics is open; throws when it cannot be. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  await using stack = new AsyncDisposableStack();
  const { settings, log, version } = options;
  const { otlp, endpoint } = settings;
  const hasMetrics = endpoint !== undefined || otlp.metrics !== undefined;
  if (!hasMetrics && otlp.traces === undefined) return off;
  const { toResource } = await import("./resource.ts");
  const resource = toResource(version);
  let root = noSpan;
  if (otlp.traces !== undefined) {
    const { startTraces } = await import("./traces.ts");
    root = stack.use(await startTraces({ otlp, resource, log })).span;
  }
  let port: number | undefined;
  if (hasMetrics) {
    const { startMetrics } = await import("./metrics.ts");
    const isRead = endpoint !== undefined;
    const metrics = stack.use(await startMetrics({ isRead, otlp, resource, log }));
    stack.use(observeProcess(version));
    const { answer } = options;
    const read = async () => ({ process: "main", metrics: await metrics.read() });
    if (answer !== undefined) stack.use(answer(read));
    else port = await serve(stack, options, read);
  }
  const running = stack.move();
  return {
    root,
    port,
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function serve(
  stack: AsyncDisposableStack,
  { settings, log, readOthers }: TelemetryOptions,
  read: () => Promise<ProcessMetrics>,
): Promise<number | undefined> {
  if (settings.endpoint === undefined) return undefined;
  const { METRICS_CONTENT_TYPE: contentType, toMetricsText } = await import("./metrics-text.ts");
  const readAll = async () => {
    const [own, others] = await Promise.all([read(), readOthers?.() ?? []]);
    return toMetricsText([own, ...others]);
  };
  const endpoint = { ...settings.endpoint, log, contentType, read: readAll };
  return stack.use(await startMetricsEndpoint(endpoint)).port;
}
