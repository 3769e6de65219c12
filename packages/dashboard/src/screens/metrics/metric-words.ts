import type { Measure, MetricSeries, SeriesWish } from "../../data/observe/metrics.ts";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import type { SearchWords } from "../../parts/use-address.ts";
import type { Texts } from "../../texts/english.ts";

export type Breakdown = NonNullable<SeriesWish["by"]>;

/** What the address asks for; without words, how many operations ended, by type. */
export function measureOf({ of }: SearchWords, texts: Texts["metrics"]): Measure {
  return of !== undefined && isKeyOf(texts.measures, of) ? of : "operations";
}

export function breakdownOf({ by }: SearchWords): Breakdown | undefined {
  if (by === "none") return undefined;
  return by === "integration" || by === "function" ? by : "type";
}

function isKeyOf<Words extends object>(words: Words, key: string): key is keyof Words & string {
  return Object.hasOwn(words, key);
}

export function isDuration(measure: Measure): boolean {
  return measure.startsWith("duration");
}

export function formatMeasure(measure: Measure): (value: number) => string {
  return isDuration(measure) ? formatSpan : formatNumber;
}

/** What a series or a total is called. */
export function nameOf(
  { name, is_rest: isRest }: Pick<MetricSeries, "name" | "is_rest">,
  by: Breakdown | undefined,
  texts: Texts["metrics"],
): string {
  if (isRest) return texts.rest;
  if (by === undefined) return texts.all;
  return name === null ? texts.none : plainText(name, 60);
}
