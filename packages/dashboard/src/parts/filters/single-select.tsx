import { Button } from "react-aria-components/Button";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import { plainText } from "../formats.ts";
import type { Choice } from "./choice-filter.tsx";

/** One of a few values; one of them is always chosen. */
export function SingleSelect({
  label,
  chosen,
  choices,
  onChange,
}: {
  label: string;
  chosen: string;
  choices: readonly Choice[];
  onChange: (chosen: string) => void;
}) {
  return (
    <Select aria-label={label} value={chosen} onChange={(key) => onChange(String(key))}>
      <Button className="button">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox className="menu">
          {choices.map(({ id, text }) => (
            <ListBoxItem key={id} id={id} className="menu-item" textValue={text}>
              {plainText(text, 60)}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
