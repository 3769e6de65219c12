import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import type { Matched } from "../../data/environment/webhooks.ts";
import { CodeButton, type CodeExample } from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { countOf } from "./webhook-words.ts";

export type Which = "failed" | "any";

/** Opens the dialog that replays many webhooks. */
export function ReplayButton({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DialogButton label={label} scope="environment:webhooks:replay">
      {() => children}
    </DialogButton>
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
  beginText,
  code,
  onBegin,
}: {
  text: string;
  /** What may be chosen, in words. */
  choices: Readonly<Partial<Record<Which, string>>>;
  which: Which;
  onChoose: (which: Which) => void;
  matched: Matched | undefined;
  error: unknown;
  /** What has been done, in words; nothing before it began. */
  progress: string | undefined;
  isPending: boolean;
  /** What the button does, to how many. */
  beginText: (count: string) => string;
  /** The same as code. */
  code: readonly CodeExample[];
  onBegin: () => void;
}) {
  const { webhooks: texts, tables } = useTexts();
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
        {Object.entries(choices).map(([value, words]) => (
          <Radio key={value} className="choice" value={value}>
            {words}
          </Radio>
        ))}
      </RadioGroup>
      <p role="status">
        {progress ?? (matched === undefined ? texts.counting : texts.matched(countOf(matched)))}
      </p>
      <div className="row">
        <CodeButton examples={code} text={tables.codeOfAction} />
        <Button
          className="button primary"
          isDisabled={matched === undefined || isNone(matched) || progress !== undefined}
          isPending={isPending}
          onPress={onBegin}
        >
          {beginText(matched === undefined ? "…" : countOf(matched))}
        </Button>
      </div>
    </>
  );
}

/** Of a search, a page may be empty although there is more. */
function isNone({ count, hasMore }: Matched): boolean {
  return count === 0 && !hasMore;
}
