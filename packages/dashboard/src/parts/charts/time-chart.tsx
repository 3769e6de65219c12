import { useEffect, useState } from "react";
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  type MouseHandlerDataParam,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  useActiveTooltipLabel,
  XAxis,
  YAxis,
} from "recharts";
import type { ChartProps } from "./chart.ts";

/** Values over time: counts as bars, one above the other, or lines. Arrow keys go from step to step. */
export function TimeChart(props: ChartProps) {
  const { look, sentence, points, series, formatAt, formatValue, height = 220 } = props;
  const choosing = useChoosing(props.onChoose);
  return (
    <div {...choosing.keys}>
      <ResponsiveContainer width="100%" height={height}>
        <ComposedChart
          data={[...points]}
          accessibilityLayer
          title={sentence}
          margin={margin}
          {...choosing.mouse}
        >
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
                dot={hasOne(points, id)}
                connectNulls
                isAnimationActive={false}
              />
            ),
          )}
          {choosing.from !== undefined && choosing.to !== undefined && (
            <ReferenceArea
              x1={choosing.from}
              x2={choosing.to}
              fill="var(--primary)"
              fillOpacity={0.2}
            />
          )}
          <ActiveStep onChange={choosing.noteActive} />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

/** A value without neighbours makes no line: it is a dot. */
function hasOne(points: ChartProps["points"], id: string): boolean {
  return points.filter((point) => typeof point[id] === "number").length === 1;
}

const margin = { top: 8, right: 8, bottom: 0, left: 0 };
const tooltip = { background: "var(--card)", borderColor: "var(--line)", borderRadius: 6 };
const tooltipRow = { color: "var(--text)" };
const cursor = { fill: "var(--raised)" };

/** A part of the time that is being chosen, from where it began to where the pointer or the arrow keys are. */
function useChoosing(onChoose: ChartProps["onChoose"]) {
  const [from, setFrom] = useState<string>();
  const [to, setTo] = useState<string>();
  const [active, setActive] = useState<string>();
  const begin = (at: string | undefined) => {
    setFrom(at);
    setTo(at);
  };
  const end = (at: string | undefined) => {
    begin(undefined);
    if (from === undefined || at === undefined) return;
    const [first = from, last = from] = [from, at].toSorted();
    onChoose?.(first, last);
  };
  const noteActive = (at: string | undefined) => {
    setActive(at);
    if (from !== undefined && at !== undefined) setTo(at);
  };
  if (onChoose === undefined) return { from, to, noteActive: undefined, mouse: {}, keys: {} };
  const labelOf = ({ activeLabel }: MouseHandlerDataParam) =>
    activeLabel === undefined ? undefined : String(activeLabel);
  return {
    from,
    to,
    noteActive,
    mouse: {
      onMouseDown: (data: MouseHandlerDataParam) => begin(labelOf(data)),
      onMouseMove: (data: MouseHandlerDataParam) => {
        if (from !== undefined) setTo(labelOf(data) ?? to);
      },
      // A click alone chooses nothing: it shows the step's values.
      onMouseUp: () => (from === to ? begin(undefined) : end(to)),
      onMouseLeave: () => begin(undefined),
    },
    keys: {
      onKeyDown: ({ key }: { readonly key: string }) => {
        if (key === "Escape") begin(undefined);
        if (key !== "Enter") return;
        if (from === undefined) begin(active);
        else end(active);
      },
    },
  };
}

/** Tells which step the pointer or the arrow keys are at. */
function ActiveStep({ onChange }: { onChange: ((at: string | undefined) => void) | undefined }) {
  const label = useActiveTooltipLabel();
  const at = label === undefined ? undefined : String(label);
  useEffect(() => onChange?.(at), [at, onChange]);
  return null;
}
