import { Button } from "react-aria-components/Button";
import { Select, SelectValue } from "react-aria-components/Select";
import { plainText } from "../formats.ts";
import { ChoiceList } from "../forms/choice-list.tsx";
import type { Choice } from "./choice-filter.tsx";

/** One of a few values; one of them is always chosen. */
export function SingleSelect({
  label,
  isLabelled = false,
  chosen,
  choices,
  onChange,
}: {
  label: string;
  /** Whether the label is before the value. */
  isLabelled?: boolean;
  chosen: string;
  choices: readonly Choice[];
  onChange: (chosen: string) => void;
}) {
  const shown = choices.map(({ id, text }) => ({ id, text: plainText(text, 60) }));
  return (
    <Select aria-label={label} value={chosen} onChange={(key) => onChange(String(key))}>
      <Button className="button">
        <SelectValue>
          {({ selectedText }) => (isLabelled ? `${label}: ${selectedText}` : selectedText)}
        </SelectValue>
        <span aria-hidden="true">▾</span>
      </Button>
      <ChoiceList choices={shown} />
    </Select>
  );
}
