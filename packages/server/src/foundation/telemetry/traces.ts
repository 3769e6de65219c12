import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { SECOND } from "../clock.ts";
import { messageOf } from "../errors.ts";
import type { Span, SpanStart } from "../instruments/index.ts";
import type { Logger } from "../logger/index.ts";
import { within } from "../waiting/index.ts";
import type { OtlpSettings } from "./settings.ts";

export interface TracesOptions {
  readonly otlp: OtlpSettings;
  readonly resource: Resource;
  readonly log: Logger;
}

/** The spans of this process, sent by OTLP; the batches are sent at the end, too. */
export async function startTraces({ otlp, resource, log }: TracesOptions) {
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(otlp.sampler),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 32 },
    spanProcessors: [
      new BatchSpanProcessor({ exporter: await createExporter(otlp), ...otlp.batch }),
    ],
  });
  const tracer = provider.getTracer("jackfield");
  return {
    span: new RealSpan(tracer, ROOT_CONTEXT, undefined),
    async [Symbol.asyncDispose]() {
      // A receiver that is away must not hold up the stop.
      await within(2 * SECOND, provider.shutdown()).catch((error: unknown) =>
        log.warn("traces.not_sent", { reason: messageOf(error) }),
      );
    },
  };
}

async function createExporter({ traces }: OtlpSettings) {
  const { OTLPTraceExporter } =
    traces === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter();
}

function createSampler({ name, ratio }: OtlpSettings["sampler"]): Sampler {
  const samplers = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const [, base] = /^parentbased_(.*)$/.exec(name) ?? [];
  for (const [known, create] of Object.entries(samplers)) {
    if (known === name) return create();
    if (known === base) return new ParentBasedSampler({ root: create() });
  }
  throw new Error(`no sampler is named ${name}`);
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
} as const;

/** A span and what lies below it: handed on in contexts of verbs, never found by where the code runs. */
class RealSpan implements Span {
  readonly #tracer: Tracer;
  readonly #context: Context;
  readonly #span: OtelSpan | undefined;

  constructor(tracer: Tracer, context: Context, span: OtelSpan | undefined) {
    this.#tracer = tracer;
    this.#context = context;
    this.#span = span;
  }

  get isRecording(): boolean {
    return this.#span?.isRecording() ?? true;
  }

  get traceparent(): string | undefined {
    return this.#span === undefined ? undefined : toTraceParent(this.#span);
  }

  child(name: string, { kind, attributes, parent }: SpanStart = {}): Span {
    const above = parent === undefined ? this.#context : toContext(parent);
    const options = { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind] };
    const span = this.#tracer.startSpan(name, options, above);
    if (!span.isRecording()) return new LeftOutSpan(this, span);
    // Only now: no sampler reads attributes, and the SDK copies and checks those of a span that is left out, too.
    if (attributes !== undefined) span.setAttributes({ ...attributes });
    return new RealSpan(this.#tracer, trace.setSpan(above, span), span);
  }

  set(attributes: Readonly<Record<string, string | number>>): void {
    this.#span?.setAttributes({ ...attributes });
  }

  fail(type: string): void {
    this.#span?.setAttribute("error.type", type);
    this.#span?.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span?.end();
  }
}

/**
 * What the sampler left out, together with all below it: the samplers decide by the id of the trace or by the parent, so
 * no child is asked about again. That makes a request that is left out nearly free.
 */
class LeftOutSpan implements Span {
  readonly isRecording = false;
  readonly #root: Span;
  readonly #span: OtelSpan;

  constructor(root: Span, span: OtelSpan) {
    this.#root = root;
    this.#span = span;
  }

  /** Work elsewhere learns that it is left out, too. */
  get traceparent(): string {
    return toTraceParent(this.#span);
  }

  /** Only a parent elsewhere can have been sampled. */
  child(name: string, start?: SpanStart): Span {
    return start?.parent === undefined ? this : this.#root.child(name, start);
  }

  set(): void {}

  fail(): void {}

  end(): void {}
}

function toTraceParent(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString().padStart(2, "0")}`;
}

/** What is malformed begins a trace of its own. */
function toContext(traceparent: string): Context {
  const parent = traceparent.length > 255 ? null : parseTraceParent(traceparent);
  if (parent === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}
