/** What a chart shows: a row for each step of time, with a value for each series. */
export interface ChartPoint {
  readonly at: string;
  readonly [series: string]: string | number | null;
}

export interface ChartSeries {
  readonly id: string;
  readonly name: string;
  /** A colour of the theme, as CSS has it. */
  readonly colour: string;
}

export interface ChartProps {
  readonly look: "bars" | "lines";
  /** What the chart says, in words; its name for those who do not see it. */
  readonly sentence: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly ChartSeries[];
  readonly formatAt: (at: string) => string;
  readonly formatValue: (value: number) => string;
}
