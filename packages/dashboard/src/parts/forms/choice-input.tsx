import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import { Text } from "react-aria-components/Text";
import type { Choice } from "../filters/choice-filter.tsx";

/** A field of a form for one of a few values. */
export function ChoiceInput({
  label,
  help,
  value,
  name,
  initial,
  choices,
  isDisabled = false,
  onChange,
}: {
  label: string;
  help?: string;
  value?: string;
  /** For forms that are read when they are sent. */
  name?: string;
  initial?: string;
  choices: readonly Choice[];
  isDisabled?: boolean;
  onChange?: (value: string) => void;
}) {
  return (
    <Select
      className="text-field"
      {...(value === undefined ? {} : { value })}
      {...(name === undefined ? {} : { name })}
      {...(initial === undefined ? {} : { defaultValue: initial })}
      isDisabled={isDisabled}
      onChange={(key) => onChange?.(String(key))}
    >
      <Label className="label">{label}</Label>
      <Button className="button choice-button">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      {help !== undefined && (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <Popover className="popover">
        <ListBox className="menu">
          {choices.map(({ id, text }) => (
            <ListBoxItem key={id} id={id} className="menu-item" textValue={text}>
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
