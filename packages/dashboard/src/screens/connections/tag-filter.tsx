import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Form } from "react-aria-components/Form";
import { Popover } from "react-aria-components/Popover";
import { Chip, ChipButton } from "../../parts/filters/chip.tsx";
import { plainText } from "../../parts/formats.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { connectionTexts } from "../../texts/screens/connection.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { tagsOfWords, wordOfTag } from "./connection-words.ts";

/** Tags that a connection must have, each a word of the address, and one more to choose. */
export function TagFilter() {
  const { words } = useAddress();
  const tags = Object.entries(tagsOfWords(words));
  return (
    <>
      {tags.map(([name, value]) => (
        <TagChip key={name} name={name} value={value} />
      ))}
      <TagChip key={tags.length} name="" value="" />
    </>
  );
}

function TagChip({ name, value }: { name: string; value: string }) {
  const texts = useTextsOf(connectionTexts);
  const { change } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const isSet = name !== "";
  const chosen = isSet ? plainText(`${name}=${value}`, 60) : undefined;
  const remove = isSet ? { [wordOfTag(name)]: undefined } : {};
  return (
    <Chip
      label={chosen === undefined ? texts.tag : `${texts.tag} ${chosen}`}
      isSet={isSet}
      onClear={() => change(remove)}
    >
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <ChipButton label={texts.tag} chosen={chosen} />
        <Popover className="popover">
          <Dialog className="name-filter" aria-label={texts.tag}>
            <TagForm
              name={name}
              value={value}
              onChange={(nextName, nextValue) => {
                setOpen(false);
                change({ ...remove, [wordOfTag(nextName)]: nextValue });
              }}
            />
          </Dialog>
        </Popover>
      </DialogTrigger>
    </Chip>
  );
}

function TagForm({
  name: oldName,
  value: oldValue,
  onChange,
}: {
  name: string;
  value: string;
  onChange: (name: string, value: string) => void;
}) {
  const texts = useTextsOf(connectionTexts);
  const [name, setName] = useState(oldName);
  const [value, setValue] = useState(oldValue);
  const isGiven = name.trim() !== "" && value.trim() !== "";
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isGiven) onChange(name.trim(), value.trim());
      }}
    >
      <TextInput
        autoFocus
        label={texts.tagName}
        name="tag-name"
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <TextInput
        label={texts.tagValue}
        name="tag-value"
        autoComplete="off"
        value={value}
        onChange={setValue}
      />
      <div className="row">
        <span className="space" />
        <Button className="button primary" type="submit" isDisabled={!isGiven}>
          {texts.showTagged}
        </Button>
      </div>
    </Form>
  );
}
