import type { Attributes, Histogram as HistogramInstrument, Meter } from "@opentelemetry/api";

export interface MetricDefinition {
  readonly kind: "counter" | "histogram" | "gauge";
  /** As in /metrics and in OTLP: `svc_`, base units, `_total` for what only grows. */
  readonly name: string;
  /** One sentence for operators. */
  readonly help: string;
  /** UCUM: `s`, `By`, `1`; what is counted in braces. */
  readonly unit: string;
  /** Names of labels. Their values are bounded: never an id or text of a caller. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** A value as it is when it is read. */
export interface Reading<Label extends string> {
  readonly value: number;
  readonly labels: Labels<Label>;
}

type Read<Label extends string> = () =>
  | readonly Reading<Label>[]
  | Promise<readonly Reading<Label>[]>;

interface Bound {
  readonly definition: MetricDefinition;
  bind(meter: Meter): void;
  unbind(): void;
}

// Process-wide: metrics are defined where modules load, before there is a server.
const known: Bound[] = [];

/** All metrics that loaded modules define, by name. */
export function listMetrics(): readonly MetricDefinition[] {
  return known
    .map(({ definition }) => definition)
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Lets the meter see all that is recorded from now on; there is one meter in a process at a time. */
export function bindMetrics(meter: Meter): Disposable {
  for (const metric of known) metric.bind(meter);
  return {
    [Symbol.dispose]: () => {
      for (const metric of known) metric.unbind();
    },
  };
}

type Given<Label extends string> = Omit<MetricDefinition, "kind" | "labels" | "buckets"> & {
  readonly labels: readonly Label[];
};

/** Something that happens; costs nothing while nobody reads metrics. */
export interface Counter<Label extends string> {
  add(value: number, labels: Labels<Label>): void;
}

export function defineCounter<const Label extends string>(given: Given<Label>): Counter<Label> {
  const definition: MetricDefinition = { ...given, kind: "counter" };
  let target: { add(value: number, attributes: Attributes): void } | undefined;
  known.push({
    definition,
    bind: (meter) => {
      target = meter.createCounter(definition.name, toOptions(definition));
    },
    unbind: () => {
      target = undefined;
    },
  });
  return { add: (value, labels) => target?.add(value, labels) };
}

/** How long or how large things are. Labels that stay the same object cost least. */
export interface Histogram<Label extends string> {
  readonly isRead: boolean;
  record(value: number, labels: Labels<Label>): void;
}

export function defineHistogram<const Label extends string>(
  given: Given<Label> & { readonly buckets: readonly number[] },
): Histogram<Label> {
  const definition: MetricDefinition = { ...given, kind: "histogram" };
  let target: HistogramInstrument | undefined;
  known.push({
    definition,
    bind: (meter) => {
      target = meter.createHistogram(definition.name, toOptions(definition));
    },
    unbind: () => {
      target = undefined;
    },
  });
  return {
    get isRead() {
      return target !== undefined;
    },
    record: (value, labels) => target?.record(value, labels),
  };
}

/** What is read when somebody asks for metrics. Of several sources with the same labels the sum is shown. */
export interface Observed<Label extends string> {
  observe(read: Read<Label>): Disposable;
}

export function defineGauge<const Label extends string>(given: Given<Label>): Observed<Label> {
  return defineObserved({ ...given, kind: "gauge" });
}

/** A sum that something else keeps. */
export function defineObservedCounter<const Label extends string>(
  given: Given<Label>,
): Observed<Label> {
  return defineObserved({ ...given, kind: "counter" });
}

function defineObserved<Label extends string>(definition: MetricDefinition): Observed<Label> {
  const sources = new Set<Read<Label>>();
  known.push({
    definition,
    bind: (meter) => {
      const { name } = definition;
      const instrument =
        definition.kind === "gauge"
          ? meter.createObservableGauge(name, toOptions(definition))
          : meter.createObservableCounter(name, toOptions(definition));
      instrument.addCallback(async (result) => {
        const found = await Promise.all([...sources].map(async (read) => await read()));
        for (const { value, labels } of sumUp(found.flat())) result.observe(value, labels);
      });
    },
    unbind: () => undefined,
  });
  return {
    observe: (read) => {
      sources.add(read);
      return { [Symbol.dispose]: () => void sources.delete(read) };
    },
  };
}

function sumUp<Label extends string>(readings: readonly Reading<Label>[]): Reading<Label>[] {
  const sums = new Map<string, Reading<Label>>();
  for (const reading of readings) {
    const key = JSON.stringify(reading.labels);
    const value = (sums.get(key)?.value ?? 0) + reading.value;
    sums.set(key, { ...reading, value });
  }
  return [...sums.values()];
}

function toOptions({ help, unit, buckets }: MetricDefinition) {
  const advice =
    buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
  return { description: help, unit, ...advice };
}
