import { isRange, type Range } from "../../data/ranges.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { SingleSelect } from "./single-select.tsx";

export function RangeSelect({
  range,
  onChange,
}: {
  range: Range;
  onChange: (range: Range) => void;
}) {
  const { tables } = useTexts();
  return (
    <SingleSelect
      label={tables.range}
      chosen={range}
      choices={Object.entries(tables.ranges).map(([id, text]) => ({ id, text }))}
      onChange={(word) => {
        if (isRange(word)) onChange(word);
      }}
    />
  );
}
