import { Button } from "react-aria-components/Button";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import { useTexts } from "../../texts/use-texts.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Spans of time that end now; they stay relative in the address. */
export const ranges = {
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 7 * 24 * HOUR,
  all: undefined,
} as const;

export type Range = keyof typeof ranges;

export function isRange(word: string | undefined): word is Range {
  return word !== undefined && Object.hasOwn(ranges, word);
}

/** Where a range begins. */
export function startOf(range: Range, now: number): string | undefined {
  const span = ranges[range];
  return span === undefined ? undefined : new Date(now - span).toISOString();
}

export function RangeSelect({
  range,
  onChange,
}: {
  range: Range;
  onChange: (range: Range) => void;
}) {
  const { tables } = useTexts();
  return (
    <Select
      aria-label={tables.range}
      value={range}
      onChange={(key) => {
        const word = String(key);
        if (isRange(word)) onChange(word);
      }}
    >
      <Button className="button">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox className="menu">
          {Object.entries(tables.ranges).map(([id, text]) => (
            <ListBoxItem key={id} id={id} className="menu-item" textValue={text}>
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
