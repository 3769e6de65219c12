import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  aboutFields,
  callFields,
  type EntryFault,
  faultAt,
  modeFields,
  readText,
  toId,
  withMode,
  writeText,
} from "../../data/custom-providers/entry.ts";
import {
  type Entry,
  type EntryField,
  formModes,
  isFormMode,
} from "../../data/custom-providers/entry-modes.ts";
import { providersQuery } from "../../data/integrations.ts";
import type { Choice } from "../../parts/filters/choice-filter.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { LinesInput } from "../../parts/forms/lines-input.tsx";
import { toSentence } from "../../parts/forms/place-faults.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { categoryTexts } from "../../texts/screens/categories.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { categoryChoices } from "../integrations/category-choices.ts";
import { ConfigCard } from "./config-card.tsx";

interface PartProps {
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
  readonly faults: readonly EntryFault[];
}

/** What most providers need; the rest of an entry is kept as it is. */
export function EntryForm({ isNew, ...part }: PartProps & { isNew: boolean }) {
  const { authModes } = useTexts();
  const texts = useTextsOf(customProviderTexts);
  const { entry, onChange } = part;
  const { auth_mode: mode } = entry;
  const fields = modeFields(entry);
  const modes = formModes.map((id) => ({ id, text: authModes[id] }));
  return (
    <>
      <About {...part} isNew={isNew} />
      <Card title={texts.authorization}>
        <div className="stack padded">
          {isFormMode(mode) ? (
            <ChoiceInput
              label={texts.authMode}
              value={mode}
              choices={modes}
              onChange={(chosen) => isFormMode(chosen) && onChange(withMode(entry, chosen))}
            />
          ) : (
            <p className="soft">{texts.jsonOnly}</p>
          )}
          {isFormMode(mode) && fields.length === 0 && <p className="soft">{texts.noMoreFields}</p>}
          {fields.map((field) => (
            <FieldInput key={`${String(mode)} ${field.path}`} field={field} {...part} />
          ))}
        </div>
      </Card>
      <ConfigCard {...part} />
      <Card title={texts.calls}>
        <div className="stack padded">
          {callFields.map((field) => (
            <FieldInput key={field.path} field={field} {...part} />
          ))}
        </div>
      </Card>
    </>
  );
}

/** The id follows the name until somebody enters another one. */
function About({ entry, onChange, faults, isNew }: PartProps & { isNew: boolean }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { data: providers = [] } = useQuery(providersQuery(environment));
  const [hasOwnId, setOwnId] = useState(entry["id"] !== toId(String(entry["display_name"] ?? "")));
  const categories = categoryChoices(
    providers.flatMap(({ categories: own = [] }) => own),
    useTextsOf(categoryTexts),
  );
  const isKnown = providers.some(
    ({ name, custom_version: version }) => name === entry["id"] && version === undefined,
  );
  return (
    <Card title={texts.about}>
      <div className="stack padded">
        {aboutFields
          .filter(({ path }) => isNew || path !== "id")
          .map((field) => (
            <FieldInput
              key={field.path}
              field={field}
              entry={entry}
              faults={faults}
              categories={categories}
              onChange={(changed) => {
                if (field.path === "id") setOwnId(true);
                const followsName = isNew && field.path === "display_name" && !hasOwnId;
                const name = String(changed["display_name"] ?? "");
                onChange(followsName ? { ...changed, id: toId(name) } : changed);
              }}
            />
          ))}
        {isNew && isKnown && (
          <ToggleInput name="replaces" label={texts.replace} help={texts.known} initial={false} />
        )}
      </div>
    </Card>
  );
}

function FieldInput({
  field,
  entry,
  onChange,
  faults,
  categories = [],
}: PartProps & { field: EntryField; categories?: readonly Choice[] }) {
  const texts = useTextsOf(customProviderTexts);
  const { path, kind, isOptional = false } = field;
  const value = readText(entry, field);
  if (value === undefined) return null;
  const given = {
    label: texts.labels[path],
    ...(texts.help[path] === "" ? {} : { help: texts.help[path] }),
    value,
    onChange: (text: string) => onChange(writeText(entry, field, text)),
  };
  if (kind === "choice") {
    const known: Readonly<Record<string, string>> = texts.choices;
    const choices =
      path === "categories.0"
        ? categories
        : (field.choices ?? []).map((id) => ({ id, text: known[id] ?? id }));
    const isOffered = value === "" || choices.some(({ id }) => id === value);
    const all = isOffered ? choices : [...choices, { id: value, text: known[value] ?? value }];
    return <ChoiceInput {...given} choices={all} />;
  }
  const found = faultAt(faults, path);
  const fault = found === undefined ? undefined : wordsOf(found);
  if (kind === "lines") {
    return <LinesInput {...given} name={path} help={texts.help[path]} fault={fault} />;
  }
  return (
    <TextInput
      {...given}
      name={path}
      autoComplete="off"
      autoFocus={path === "display_name"}
      isOptional={isOptional}
      fault={fault}
    />
  );

  function wordsOf({ message }: EntryFault): string {
    if (value?.trim() === "") return texts.missing;
    return path === "id" && /^Invalid string/.test(message) ? texts.badId : toSentence(message);
  }
}
