import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Form } from "react-aria-components/Form";
import { Popover } from "react-aria-components/Popover";
import { useTexts } from "../../texts/use-texts.ts";
import { formatMoment } from "../formats.ts";
import { MomentInput, toLocal, toMoment } from "../forms/moment-input.tsx";
import { Chip, ChipButton } from "./chip.tsx";

/** A filter for one moment, which is in the address in UTC. */
export function MomentFilter({
  label,
  text,
  chosen,
  onChange,
}: {
  label: string;
  /** Says what the moment is for. */
  text: string;
  chosen: string | undefined;
  onChange: (chosen: string | undefined) => void;
}) {
  return (
    <Chip label={label} isSet={chosen !== undefined} onClear={() => onChange(undefined)}>
      <DialogTrigger>
        <ChipButton label={label} chosen={chosen === undefined ? undefined : momentText(chosen)} />
        <Popover className="popover">
          <Dialog className="moment-filter padded" aria-label={label}>
            {({ close }) => (
              <MomentForm
                label={label}
                text={text}
                chosen={chosen}
                onChoose={(at) => {
                  close();
                  onChange(at);
                }}
              />
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
    </Chip>
  );
}

function MomentForm({
  label,
  text,
  chosen,
  onChoose,
}: {
  label: string;
  text: string;
  chosen: string | undefined;
  onChoose: (at: string | undefined) => void;
}) {
  const { tables } = useTexts();
  const [local, setLocal] = useState(() =>
    toLocal(isMoment(chosen) ? chosen : new Date().toISOString()),
  );
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(toMoment(local));
      }}
    >
      <MomentInput label={label} value={local} onChange={setLocal} />
      <p className="soft">{text}</p>
      <div className="row">
        <Button className="button primary" type="submit" isDisabled={local === ""}>
          {tables.show}
        </Button>
      </div>
    </Form>
  );
}

/** An address can have anything in it. */
function isMoment(text: string | undefined): boolean {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

/** A moment in the reader's local time; another text as it is. */
export function momentText(at: string): string {
  return isMoment(at) ? formatMoment(at) : at;
}
