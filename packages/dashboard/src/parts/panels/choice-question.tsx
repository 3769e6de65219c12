import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import type { Choice } from "../filters/choice-filter.tsx";
import { ChoiceInput } from "../forms/choice-input.tsx";
import { CodeButton, type CodeExample } from "./code-panel.tsx";
import { FaultBanner } from "./fault-banner.tsx";

/** Within a dialog: what happens, one choice about it, and whether to do it. */
export function ChoiceQuestion<Done>({
  label,
  value,
  choices,
  onChange,
  act,
  confirm,
  code,
  isDisabled = false,
  onEnd,
  children,
}: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  act: UseMutationResult<Done, Error, void>;
  confirm: string;
  /** The same as code. */
  code: readonly CodeExample[];
  isDisabled?: boolean;
  onEnd: () => void;
  /** What happens. */
  children: ReactNode;
}) {
  const { tables } = useTexts();
  return (
    <>
      {children}
      {act.isError && <FaultBanner error={act.error} />}
      <ChoiceInput label={label} value={value} choices={choices} onChange={onChange} />
      <div className="row">
        <CodeButton examples={code} text={tables.codeOfAction} />
        <Button className="button" onPress={onEnd}>
          {tables.cancel}
        </Button>
        <Button
          className="button primary"
          isDisabled={isDisabled}
          isPending={act.isPending}
          onPress={() => act.mutate()}
        >
          {confirm}
        </Button>
      </div>
    </>
  );
}
