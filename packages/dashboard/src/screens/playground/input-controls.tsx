import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { SchemaField } from "../../data/functions/json-schema.ts";
import { JsonInput, parseJson } from "../../parts/editor/json-input.tsx";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { type Entered, InputForm, toEntered, toInput } from "./input-form.tsx";

/** An input as the form has it or as JSON; both show the same. */
export function useInput(fields: readonly SchemaField[], taken: string | undefined) {
  const [text, setText] = useState(taken ?? "");
  const [isForm, setForm] = useState(fields.length > 0);
  const parsed = parseJson(text);
  const fault = "fault" in parsed ? parsed.fault : undefined;
  const value = "value" in parsed ? parsed.value : undefined;
  const [entered, setEntered] = useState<Entered>(() => toEntered(fields, value));
  const fromForm = isForm ? toInput(fields, entered) : undefined;
  return {
    isForm,
    entered,
    text: isForm ? JSON.stringify(fromForm ?? {}, undefined, 2) : text,
    fault,
    value: isForm ? fromForm : value,
    isGood: isForm ? fromForm !== undefined : fault === undefined,
    enter: setEntered,
    type: setText,
    show(asForm: boolean) {
      if (asForm) setEntered(toEntered(fields, value));
      else setText(JSON.stringify(fromForm ?? {}, undefined, 2));
      setForm(asForm);
    },
  };
}

/** The form or the editor, and the way from one to the other. */
export function InputControls({
  fields,
  input,
}: {
  fields: readonly SchemaField[];
  input: ReturnType<typeof useInput>;
}) {
  const texts = useTextsOf(playgroundTexts);
  return (
    <>
      {fields.length > 0 && (
        <div className="row">
          <Button
            className="button small"
            isDisabled={!input.isForm && input.fault !== undefined}
            onPress={() => input.show(!input.isForm)}
          >
            {input.isForm ? texts.asJson : texts.asForm}
          </Button>
        </div>
      )}
      {input.isForm ? (
        <InputForm fields={fields} entered={input.entered} onChange={input.enter} />
      ) : (
        <JsonInput
          label={texts.input}
          value={input.text}
          onChange={input.type}
          fault={input.fault === undefined ? undefined : texts.notJson(input.fault)}
        />
      )}
    </>
  );
}
