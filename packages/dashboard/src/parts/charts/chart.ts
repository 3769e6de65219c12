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
  /** In pixels; 220 unless given. */
  readonly height?: number;
  /** Takes a part of the time, from one step to another: by dragging, or twice Enter. */
  readonly onChoose?: (firstStep: string, lastStep: string) => void;
}
