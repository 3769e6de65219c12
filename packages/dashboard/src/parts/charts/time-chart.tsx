import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { ChartProps } from "./chart.ts";

/** Values over time: counts as bars, one above the other, or lines. Arrow keys go from step to step. */
export function TimeChart({ look, sentence, points, series, formatAt, formatValue }: ChartProps) {
  return (
    <ResponsiveContainer width="100%" height={220}>
      <ComposedChart data={[...points]} accessibilityLayer title={sentence} margin={margin}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="at"
          tickFormatter={(at) => formatAt(String(at))}
          stroke="var(--soft)"
          tickLine={false}
          minTickGap={40}
        />
        <YAxis
          allowDecimals={false}
          tickFormatter={(value) => formatValue(Number(value))}
          stroke="var(--soft)"
          tickLine={false}
          width={64}
        />
        <Tooltip
          isAnimationActive={false}
          contentStyle={tooltip}
          itemStyle={tooltipRow}
          cursor={look === "bars" ? cursor : true}
          labelFormatter={(at) => formatAt(String(at))}
          formatter={(value) => formatValue(Number(value))}
        />
        {series.map(({ id, name, colour }) =>
          look === "bars" ? (
            <Bar
              key={id}
              dataKey={id}
              name={name}
              stackId="all"
              fill={colour}
              isAnimationActive={false}
            />
          ) : (
            <Line
              key={id}
              dataKey={id}
              name={name}
              stroke={colour}
              strokeWidth={2}
              dot={false}
              connectNulls
              isAnimationActive={false}
            />
          ),
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

const margin = { top: 8, right: 8, bottom: 0, left: 0 };
const tooltip = { background: "var(--card)", borderColor: "var(--line)", borderRadius: 6 };
const tooltipRow = { color: "var(--text)" };
const cursor = { fill: "var(--raised)" };
