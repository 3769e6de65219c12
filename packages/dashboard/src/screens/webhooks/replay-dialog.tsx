import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import type { Matched } from "../../data/environment/webhooks.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { countOf } from "./webhook-words.ts";

export type Which = "failed" | "any";

/** Opens the dialog that replays many webhooks. `obstacle`: why it cannot, as the list is narrowed. */
export function ReplayButton({
  label,
  obstacle,
  children,
}: {
  label: string;
  obstacle?: string | undefined;
  children: ReactNode;
}) {
  const may = useMay("environment:webhooks:write");
  return (
    <span title={obstacle}>
      <DialogButton label={label} isDisabled={!may || obstacle !== undefined}>
        {() => children}
      </DialogButton>
    </span>
  );
}

/** Says how many it would be before, and how far it is after. */
export function ReplayForm({
  text,
  choices,
  which,
  onChoose,
  matched,
  error,
  progress,
  isPending,
  onBegin,
}: {
  text: string;
  choices: Readonly<Record<Which, string>>;
  which: Which;
  onChoose: (which: Which) => void;
  matched: Matched | undefined;
  error: unknown;
  /** What has been done, in words; nothing before it began. */
  progress: string | undefined;
  isPending: boolean;
  onBegin: () => void;
}) {
  const { webhooks: texts } = useTexts();
  return (
    <>
      <p className="soft">{text}</p>
      {error !== null && error !== undefined && <FaultBanner error={error} />}
      <RadioGroup
        className="choices"
        value={which}
        onChange={(value) => onChoose(value === "any" ? "any" : "failed")}
      >
        <Label className="label">{texts.which}</Label>
        <Radio className="choice" value="failed">
          {choices.failed}
        </Radio>
        <Radio className="choice" value="any">
          {choices.any}
        </Radio>
      </RadioGroup>
      <p role="status">
        {progress ?? (matched === undefined ? texts.counting : texts.matched(countOf(matched)))}
      </p>
      <div className="row">
        <Button
          className="button primary"
          isDisabled={matched === undefined || matched.count === 0 || progress !== undefined}
          isPending={isPending}
          onPress={onBegin}
        >
          {texts.begin}
        </Button>
      </div>
    </>
  );
}
