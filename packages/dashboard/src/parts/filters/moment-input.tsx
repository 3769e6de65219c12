import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";

/** A field for a moment, in the reader's local time. */
export function MomentInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextField className="text-field" value={value} onChange={onChange}>
      <Label className="label">{label}</Label>
      <Input className="input" type="datetime-local" step="1" />
    </TextField>
  );
}

/** What the field for a moment takes: the reader's clock, to the second. */
export function toLocal(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 19);
}

const MINUTE = 60_000;

/** The moment of such a field, in UTC; undefined while it is empty. */
export function toMoment(local: string): string | undefined {
  return local === "" ? undefined : new Date(local).toISOString();
}
