import type { FormField } from "@jackfield/ui/form-fields.ts";
import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField } from "react-aria-components/TextField";
import { plainText } from "../../parts/formats.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { connectionTexts } from "../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** A field of a form that the entry of a provider asks for. A secret is not shown while it is typed. */
export function ProviderInput({ field }: { field: FormField }) {
  const { tables } = useTexts();
  const own = useTextsOf(connectionTexts);
  const { id, label, initial, required, secret, choices, multiline } = field;
  const help = helpOf(field, own.example);
  const named = { label: plainText(label, 200), name: id, ...(help === "" ? {} : { help }) };
  if (choices !== undefined) {
    const empty = required ? [] : [{ id: "", text: tables.none }];
    const all = [...empty, ...choices.map((choice) => ({ id: choice, text: choice }))];
    return <ChoiceInput {...named} initial={initial} choices={all} />;
  }
  if (multiline) return <LongInput {...named} help={help} isRequired={required} />;
  return (
    <TextInput
      {...named}
      type={secret ? "password" : "text"}
      autoComplete="off"
      isOptional={!required}
      initial={initial}
    />
  );
}

/** Keys and certificates: a field of one line would drop their line ends. */
function LongInput({
  label,
  name,
  help,
  isRequired,
}: {
  label: string;
  name: string;
  help: string;
  isRequired: boolean;
}) {
  return (
    <TextField
      className="text-field"
      name={name}
      isRequired={isRequired}
      autoComplete="off"
      validationBehavior="aria"
    >
      <Label className="label">{label}</Label>
      <TextArea className="input mono" rows={5} spellCheck={false} />
      {help !== "" && (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="fault" />
    </TextField>
  );
}

/** What the entry explains, its example, and what stands around the value. */
function helpOf(
  { help, example, prefix, suffix }: FormField,
  exampleText: (example: string) => string,
): string {
  const isThere = example === undefined || help?.includes(example) === true;
  const isExplained = help?.includes(prefix) === true && help.includes(suffix);
  const around = isExplained || prefix + suffix === "" ? "" : `${prefix}…${suffix}`;
  return [help ?? "", around, isThere ? "" : exampleText(example)]
    .filter((part) => part !== "")
    .map((part) => plainText(part, 600))
    .join(" ");
}
