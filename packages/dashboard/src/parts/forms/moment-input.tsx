import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import { useTexts } from "../../texts/use-texts.ts";
import { zone } from "../clock/zone.ts";
import { zoneOf } from "../formats.ts";

/** A field for a moment on the clock that the reader has chosen, with the time zone of that. */
export function MomentInput({
  label,
  name,
  value,
  onChange,
}: {
  label: string;
  /** For forms whose faults the server finds. */
  name?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { tables } = useTexts();
  return (
    <TextField
      className="text-field"
      {...(name === undefined ? {} : { name })}
      value={value}
      onChange={onChange}
      validationBehavior="aria"
    >
      <Label className="label">{label}</Label>
      <Input className="input" type="datetime-local" step="1" />
      <Text slot="description" className="help">
        {tables.timeZone(zoneOf(toMoment(value)))}
      </Text>
      <FieldError className="fault" />
    </TextField>
  );
}

/** What the field for a moment takes: the chosen clock, to the second. */
export function toLocal(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  const offsetMs = zone() === "UTC" ? 0 : date.getTimezoneOffset() * MINUTE;
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, 19);
}

const MINUTE = 60_000;

/** The moment of such a field, in UTC; undefined while it is empty. */
export function toMoment(local: string): string | undefined {
  if (local === "") return undefined;
  return new Date(zone() === "UTC" ? `${local}Z` : local).toISOString();
}
