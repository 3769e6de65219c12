import { Checkbox } from "react-aria-components/Checkbox";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import type { SchemaField } from "../../data/functions/json-schema.ts";
import { JsonInput, parseJson } from "../../parts/editor/json-input.tsx";
import { plainText } from "../../parts/formats.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** Stands for no choice; no value of a schema that people choose from is this. */
const NONE = "\u0000";

/** What was entered, by field: the texts of its controls. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** A control for each field of the schema; an editor for what has no control. */
export function InputForm({
  fields,
  entered,
  onChange,
}: {
  fields: readonly SchemaField[];
  entered: Entered;
  onChange: (entered: Entered) => void;
}) {
  return (
    <div className="stack">
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          value={entered[field.name]}
          onChange={(value) => onChange({ ...entered, [field.name]: value })}
        />
      ))}
    </div>
  );
}

function FieldControl({
  field,
  value,
  onChange,
}: {
  field: SchemaField;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const { tables } = useTexts();
  const texts = useTextsOf(playgroundTexts);
  const name = plainText(field.name, 80);
  const label = field.isNeeded ? name : texts.optional(name);
  const help = plainText(field.description, 400);
  if (field.control === "json") {
    const parsed = parseJson(value ?? "");
    const fault = "fault" in parsed ? texts.notJson(parsed.fault) : undefined;
    return <JsonInput label={label} value={value ?? ""} onChange={onChange} fault={fault} />;
  }
  if (field.control === "switch") {
    return (
      <Checkbox
        className="check"
        isSelected={value === "true"}
        onChange={(isSelected) => onChange(String(isSelected))}
      >
        <span className="box" aria-hidden="true" />
        {label}
        {help !== "" && <span className="help">{help}</span>}
      </Checkbox>
    );
  }
  if (field.control === "choice") {
    return (
      <ChoiceInput
        label={label}
        {...(help === "" ? {} : { help })}
        value={value ?? (field.isNeeded ? "" : NONE)}
        choices={[
          ...(field.isNeeded ? [] : [{ id: NONE, text: tables.nothing }]),
          ...field.choices.map((choice) => ({ id: choice, text: plainText(choice, 80) })),
        ]}
        onChange={(choice) => onChange(choice === NONE ? undefined : choice)}
      />
    );
  }
  const fault = field.control === "number" && isNoNumber(value) ? texts.notNumber : undefined;
  return (
    <TextField
      className="text-field"
      value={value ?? ""}
      onChange={onChange}
      isRequired={field.isNeeded}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
      autoComplete="off"
    >
      <Label className="label">{label}</Label>
      <Input className="input" inputMode={field.control === "number" ? "decimal" : "text"} />
      {help !== "" && (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      {fault !== undefined && <p className="fault">{fault}</p>}
    </TextField>
  );
}

function isNoNumber(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "" && !Number.isFinite(Number(value));
}

/** The input as the function gets it; undefined when something entered is not what it should be. */
export function toInput(fields: readonly SchemaField[], entered: Entered): object | undefined {
  const input: Record<string, unknown> = {};
  for (const { name, control, isNeeded } of fields) {
    const text = entered[name];
    if (control === "switch") {
      if (text !== undefined || isNeeded) input[name] = text === "true";
    } else if (text === undefined || text === "") {
      if (isNeeded && control === "text") input[name] = "";
    } else if (control === "number") {
      if (isNoNumber(text)) return undefined;
      input[name] = Number(text);
    } else if (control === "json") {
      const parsed = parseJson(text);
      if ("fault" in parsed) return undefined;
      if (parsed.value !== undefined) input[name] = parsed.value;
    } else input[name] = text;
  }
  return input;
}

/** Texts of the controls for an input. */
export function toEntered(fields: readonly SchemaField[], input: unknown): Entered {
  const given = Object(input);
  return Object.fromEntries(
    fields.map(({ name, control }) => {
      const value: unknown = given[name];
      if (value === undefined) return [name, undefined];
      const isText = typeof value === "string" && control !== "json";
      return [name, isText ? value : JSON.stringify(value, undefined, 2)];
    }),
  );
}
