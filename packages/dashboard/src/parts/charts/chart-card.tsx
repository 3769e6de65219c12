import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { Card } from "../panels/card.tsx";
import { PlainTable } from "../plain-table.tsx";
import type { ChartPoint, ChartProps } from "./chart.ts";

interface NamedChart extends ChartProps {
  readonly label: string;
}

// Without the code of the chart its table is shown.
const TimeChart: ComponentType<NamedChart> = lazy(async () => ({
  default: await import("./time-chart.tsx").then(
    ({ TimeChart: Loaded }) => Loaded,
    () => ChartTable,
  ),
}));

/** A chart with the sentence that it says and the table behind it; its code is loaded when one is shown. */
export function ChartCard({
  title,
  actions,
  ...chart
}: ChartProps & { title: string; actions?: ReactNode }) {
  const { tables } = useTexts();
  const [isTable, setTable] = useState(false);
  return (
    <Card
      title={title}
      actions={
        <span className="row">
          {actions}
          <Button className="button small" onPress={() => setTable(!isTable)}>
            {isTable ? tables.showChart : tables.showTable}
          </Button>
        </span>
      }
    >
      <p className="padded chart-sentence">
        <span>{chart.sentence}</span>
        {chart.onChoose !== undefined && <span className="soft">{tables.chooseTime}</span>}
      </p>
      <div className={chart.height === undefined ? "chart" : "chart low"}>
        {isTable ? (
          <ChartTable {...chart} label={title} />
        ) : (
          <Suspense fallback={null}>
            <TimeChart {...chart} label={title} />
          </Suspense>
        )}
      </div>
      {!isTable && <Legend series={chart.series} />}
    </Card>
  );
}

function Legend({ series }: Pick<ChartProps, "series">) {
  return (
    <ul className="legend">
      {series.map(({ id, name, colour }) => (
        <li key={id}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" fill={colour} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function ChartTable({ label, points, series, formatAt, formatValue }: NamedChart) {
  const { tables } = useTexts();
  const columns = [
    { header: tables.from, cell: ({ at }: ChartPoint) => formatAt(at) },
    ...series.map(({ id, name }) => ({
      header: name,
      isNumber: true,
      cell: (point: ChartPoint) => {
        const value = point[id];
        return typeof value === "number" ? formatValue(value) : tables.nothing;
      },
    })),
  ];
  return <PlainTable label={label} columns={columns} rows={points} keyOf={({ at }) => at} />;
}
