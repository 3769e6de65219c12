import { useState } from "react";
import type { Entry } from "../../data/custom-providers/entry-modes.ts";
import { JsonInput, parseJson } from "../../parts/editor/json-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** The whole entry as text. `onValid`: whether it is a JSON object, which alone is taken over. */
export function EntryJson({
  entry,
  onChange,
  onValid,
}: {
  entry: Entry;
  onChange: (entry: Entry) => void;
  onValid: (isValid: boolean) => void;
}) {
  const texts = useTextsOf(customProviderTexts);
  const [text, setText] = useState(() => JSON.stringify(entry, undefined, 2));
  const parsed = readEntry(text);
  const take = (typed: string) => {
    setText(typed);
    const { entry: read } = readEntry(typed);
    onValid(read !== undefined);
    if (read !== undefined) onChange(read);
  };
  const fault = parsed.fault ?? (parsed.entry === undefined ? texts.noObject : undefined);
  return (
    <Card title={texts.entry}>
      <div className="stack padded">
        <p className="soft">{texts.entryHelp}</p>
        <JsonInput
          label={texts.entry}
          value={text}
          onChange={take}
          fault={parsed.fault === undefined ? fault : texts.notJson(parsed.fault)}
        />
      </div>
    </Card>
  );
}

function readEntry(text: string): { entry?: Entry; fault?: string } {
  const parsed = parseJson(text);
  if ("fault" in parsed) return { fault: parsed.fault };
  const { value } = parsed;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { entry: Object(value) }
    : {};
}
