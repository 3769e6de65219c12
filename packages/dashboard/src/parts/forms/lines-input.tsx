import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField } from "react-aria-components/TextField";

/** A field of a form for several values, one a line. */
export function LinesInput({
  label,
  name,
  help,
  initial,
}: {
  label: string;
  name: string;
  help: string;
  initial: readonly string[];
}) {
  return (
    <TextField className="text-field" name={name} defaultValue={initial.join("\n")}>
      <Label className="label">{label}</Label>
      <TextArea className="input mono" rows={3} spellCheck={false} />
      <Text slot="description" className="help">
        {help}
      </Text>
    </TextField>
  );
}

/** The lines of such a field that hold something. */
export function linesOf(form: FormData, name: string): string[] {
  const lines = String(form.get(name) ?? "").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
