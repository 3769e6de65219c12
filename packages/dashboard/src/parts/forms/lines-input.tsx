import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField } from "react-aria-components/TextField";

/** A field of a form for several values, one a line. */
export function LinesInput({
  label,
  name,
  help,
  initial = [],
  value,
  fault,
  onChange,
}: {
  label: string;
  name: string;
  help: string;
  initial?: readonly string[];
  /** For forms that are read as they are typed. */
  value?: string;
  fault?: string | undefined;
  onChange?: (text: string) => void;
}) {
  return (
    <TextField
      className="text-field"
      name={name}
      {...(value === undefined ? { defaultValue: initial.join("\n") } : { value })}
      {...(onChange === undefined ? {} : { onChange })}
      {...(fault === undefined ? {} : { isInvalid: true })}
      validationBehavior="aria"
    >
      <Label className="label">{label}</Label>
      <TextArea
        className="input mono"
        rows={Math.min(Math.max(initial.length, 3), 8)}
        spellCheck={false}
      />
      <Text slot="description" className="help">
        {help}
      </Text>
      <FieldError className="fault">{fault}</FieldError>
    </TextField>
  );
}

/** The lines of such a field that hold something. */
export function linesOf(form: FormData, name: string): string[] {
  const lines = String(form.get(name) ?? "").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
