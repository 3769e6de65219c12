import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  type ConfigField,
  type ConfigPart,
  configParts,
  newConfigField,
  readConfigFields,
  readPart,
  withConfigFields,
  withPart,
} from "../../data/custom-providers/config-fields.ts";
import type { EntryFault } from "../../data/custom-providers/entry.ts";
import type { Entry } from "../../data/custom-providers/entry-modes.ts";
import { toSentence } from "../../parts/forms/place-faults.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** Values that end users enter when they connect, such as the host of their account. */
export function ConfigCard({
  entry,
  faults,
  onChange,
}: {
  entry: Entry;
  faults: readonly EntryFault[];
  onChange: (entry: Entry) => void;
}) {
  const texts = useTextsOf(customProviderTexts);
  const [fields, setFields] = useState(() => readConfigFields(entry));
  const change = (next: readonly ConfigField[]) => {
    setFields(next);
    onChange(withConfigFields(entry, next));
  };
  return (
    <Card title={texts.config}>
      <div className="stack padded">
        <p className="soft">{texts.configText}</p>
        {fields.map((one, place) => (
          <ConfigInputs
            key={one.id}
            number={place + 1}
            one={one}
            isTaken={fields.some(({ id, name }) => name === one.name && id < one.id)}
            faults={faults}
            onChange={(changed) =>
              change(fields.map((each) => (each.id === one.id ? changed : each)))
            }
            onRemove={() => change(fields.filter(({ id }) => id !== one.id))}
          />
        ))}
        <div className="row">
          <Button className="button" onPress={() => change([...fields, newConfigField(fields)])}>
            {texts.addField}
          </Button>
        </div>
      </div>
    </Card>
  );
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

function ConfigInputs({
  number,
  one,
  isTaken,
  faults,
  onChange,
  onRemove,
}: {
  number: number;
  one: ConfigField;
  isTaken: boolean;
  faults: readonly EntryFault[];
  onChange: (changed: ConfigField) => void;
  onRemove: () => void;
}) {
  const texts = useTextsOf(customProviderTexts);
  const nameFault = isTaken ? texts.takenName : NAME.test(one.name) ? undefined : texts.badName;
  const faultOf = (part: ConfigPart) => {
    const isMissing = part === "title" && readPart(one, part).trim() === "";
    if (isMissing) return texts.missing;
    const found = faults.find(({ path }) => path === `connection_config.${one.name}.${part}`);
    return found && toSentence(found.message);
  };
  return (
    <fieldset className="stack card padded">
      <legend className="label">{texts.fieldNumber(number)}</legend>
      <TextInput
        label={texts.fieldName}
        name={`config-${number}-name`}
        autoComplete="off"
        help={texts.fieldNameHelp(one.name)}
        value={one.name}
        fault={nameFault}
        onChange={(name) => onChange({ ...one, name })}
      />
      {configParts.map((part) => (
        <TextInput
          key={part}
          label={texts.parts[part]}
          name={`config-${number}-${part}`}
          autoComplete="off"
          isOptional={part !== "title"}
          help={texts.partHelp[part]}
          value={readPart(one, part)}
          fault={faultOf(part)}
          onChange={(text) => onChange(withPart(one, part, text))}
        />
      ))}
      <div className="row">
        <Button className="button" onPress={onRemove}>
          {texts.removeField(number)}
        </Button>
      </div>
    </fieldset>
  );
}
