import { useRef, useState } from "react";
import { ComboBox } from "react-aria-components/ComboBox";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { plainText } from "../formats.ts";
import { Chip, ChipButton } from "./chip.tsx";

/** A filter for one name out of many, which are suggested while it is typed. */
export function NameFilter({
  label,
  chosen,
  names,
  takesAny = true,
  onType,
  onChange,
}: {
  label: string;
  chosen: string | undefined;
  /** Names that begin with what was typed. */
  names: readonly string[];
  /** Whether Enter takes what was typed; otherwise the first name that has it. */
  takesAny?: boolean;
  onType: (typed: string) => void;
  onChange: (chosen: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Chip label={label} isSet={chosen !== undefined} onClear={() => onChange(undefined)}>
      <DialogTrigger
        isOpen={isOpen}
        onOpenChange={(next) => {
          setOpen(next);
          if (next) onType("");
        }}
      >
        <ChipButton
          label={label}
          chosen={chosen === undefined ? undefined : plainText(chosen, 40)}
        />
        <Popover className="popover">
          <Dialog className="name-filter" aria-label={label}>
            <NameBox
              label={label}
              names={names}
              takesAny={takesAny}
              onType={onType}
              onChange={(name) => {
                onChange(name);
                setOpen(false);
              }}
            />
          </Dialog>
        </Popover>
      </DialogTrigger>
    </Chip>
  );
}

function NameBox({
  label,
  names,
  takesAny,
  onType,
  onChange,
}: {
  label: string;
  names: readonly string[];
  takesAny: boolean;
  onType: (typed: string) => void;
  onChange: (name: string) => void;
}) {
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLDivElement>(null);
  return (
    <ComboBox
      ref={field}
      allowsCustomValue
      // The dialog opens for this field alone.
      autoFocus
      menuTrigger="focus"
      inputValue={typed}
      onInputChange={(text) => {
        setTyped(text);
        onType(text);
      }}
      items={names.map((name) => ({ id: name }))}
      onChange={(key) => {
        if (key !== null) onChange(String(key));
      }}
      onKeyDown={(event) => {
        // On a suggestion, Enter takes that one.
        const { target } = event;
        const isOnOne = target instanceof Element && target.hasAttribute("aria-activedescendant");
        if (event.key !== "Enter" || isOnOne || typed === "") return;
        const first = names.find((name) => name.toLowerCase().includes(typed.toLowerCase()));
        const taken = takesAny ? typed : first;
        if (taken !== undefined) onChange(taken);
      }}
    >
      <Label className="label">{label}</Label>
      <Input className="input" />
      {/* Over or under the field with its label, neither of which it may cover. */}
      <Popover className="popover" triggerRef={field}>
        <ListBox<{ id: string }> className="menu">
          {({ id }) => (
            <ListBoxItem id={id} className="menu-item" textValue={id}>
              {plainText(id, 60)}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
