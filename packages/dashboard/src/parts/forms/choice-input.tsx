import { Button } from "react-aria-components/Button";
import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { Select, SelectValue } from "react-aria-components/Select";
import { Text } from "react-aria-components/Text";
import type { Choice } from "../filters/choice-filter.tsx";
import { ChoiceList } from "./choice-list.tsx";

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
      <FieldError className="fault" />
      <ChoiceList choices={choices} />
    </Select>
  );
}
