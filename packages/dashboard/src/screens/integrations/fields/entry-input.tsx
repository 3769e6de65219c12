import { FieldInput } from "@jackfield/ui/field-input.tsx";
import { type ProviderField, toField } from "@jackfield/ui/form-fields.ts";
import { tidyValue, validateField } from "@jackfield/ui/validate-field.ts";
import { useContext, useEffect, useId, useRef, useState } from "react";
import { plainText } from "../../../parts/formats.ts";
import { FieldFaults } from "../../../parts/forms/api-form.tsx";
import { fieldTexts } from "../../../texts/integrations/fields.ts";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

const MOST_HELP = 2000;

/** A field of a form as a provider describes it; a secret that is set is not shown, and is kept if it stays empty. */
export function EntryInput({
  name,
  fieldName,
  field,
  isTrusted,
  initial,
  isSet = false,
  isOptional = field.optional === true,
  autoFocus = false,
}: {
  /** In the form: the path of its value in the call. */
  name: string;
  /** Its name in the entry. */
  fieldName: string;
  field: ProviderField;
  /** Whether its pattern is compared here: one that a customer wrote could take endlessly. The server compares all. */
  isTrusted: boolean;
  initial?: string | undefined;
  isSet?: boolean;
  isOptional?: boolean;
  autoFocus?: boolean;
}) {
  const texts = useTextsOf(integrationFormTexts);
  const fields = useTextsOf(fieldTexts);
  const id = useId();
  const isKept = isSet && field.secret === true;
  const described = toField("credentials", fieldName, field);
  const help = [
    described.help && plainText(described.help, MOST_HELP),
    isKept ? texts.replaceSecret : undefined,
  ];
  const shown = {
    ...described,
    id,
    label: plainText(described.label),
    help: help.filter((text) => text !== undefined).join(" ") || undefined,
    pattern: isTrusted ? described.pattern : undefined,
    required: !isOptional && !isKept,
  };
  const [value, setValue] = useState(initial ?? described.initial);
  const faults = useContext(FieldFaults);
  const [ownFault, setOwnFault] = useState<string>();
  const [corrected, setCorrected] = useState<object>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!autoFocus) return;
    box.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [autoFocus]);
  const words = isKept ? { ...fields, optional: texts.isSet } : fields;
  return (
    <div ref={box}>
      <FieldInput
        field={shown}
        texts={words}
        value={value}
        fault={ownFault ?? (corrected === faults ? undefined : faults[name])}
        onChange={(next) => {
          setValue(next);
          setOwnFault(undefined);
          setCorrected(faults);
        }}
        onLeave={() => {
          // What is missing is said once the form is sent.
          if (value !== "") setOwnFault(validateField(shown, value, fields));
        }}
      />
      <input type="hidden" name={name} value={tidyValue(shown, value)} />
    </div>
  );
}
