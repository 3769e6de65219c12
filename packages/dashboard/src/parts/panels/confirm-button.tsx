import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import { useTexts } from "../../texts/use-texts.ts";
import type { Needed, Reason } from "../scoped-button.tsx";
import { CodeButton, type CodeExample } from "./code-panel.tsx";
import { DialogButton } from "./dialog-button.tsx";
import { FaultBanner } from "./fault-banner.tsx";

interface Question<Done> {
  /** What happens, in words. */
  readonly text: ReactNode;
  readonly confirm: string;
  /** The same as code; left out where the page shows that already. */
  readonly code?: readonly CodeExample[] | undefined;
  /** What has to be typed first, and the words that ask for it. */
  readonly typed?: { readonly label: string; readonly text: string } | undefined;
  readonly onConfirm: () => Promise<Done>;
  /** What is shown of the outcome; without it the dialog closes. */
  readonly outcome?: (done: Done) => ReactNode;
}

/** A button for what is asked for twice. */
export function ConfirmButton<Done>({
  label,
  name,
  title = name ?? label,
  look = "danger",
  scope,
  reason,
  isDisabled = false,
  ...question
}: Question<Done> & {
  label: string;
  name?: string;
  title?: string;
  look?: "danger" | "primary" | "";
  scope?: Needed;
  reason?: Reason;
  isDisabled?: boolean;
}) {
  return (
    <DialogButton
      label={label}
      name={name}
      title={title}
      look={look}
      scope={scope}
      reason={reason}
      isDisabled={isDisabled}
    >
      {(close) => <Confirmation {...question} onEnd={close} />}
    </DialogButton>
  );
}

/** The question itself, within a dialog. */
export function Confirmation<Done>({
  text,
  confirm,
  code,
  typed: asked,
  onConfirm,
  outcome,
  onEnd,
}: Question<Done> & { onEnd: () => void }) {
  const { tables } = useTexts();
  const [typed, setTyped] = useState("");
  const act = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      if (outcome === undefined) onEnd();
    },
  });
  if (act.isSuccess && outcome !== undefined) return <p role="status">{outcome(act.data)}</p>;
  return (
    <>
      {typeof text === "string" ? <p>{text}</p> : <div className="stack">{text}</div>}
      {act.isError && <FaultBanner error={act.error} />}
      {asked !== undefined && (
        <TextField className="text-field" value={typed} onChange={setTyped} autoFocus>
          <Label className="label">{asked.label}</Label>
          <Input className="input" />
        </TextField>
      )}
      <div className="row">
        {code !== undefined && <CodeButton examples={code} text={tables.codeOfAction} />}
        <Button className="button" onPress={onEnd}>
          {tables.cancel}
        </Button>
        <Button
          className="button danger"
          isDisabled={asked !== undefined && typed !== asked.text}
          isPending={act.isPending}
          onPress={() => act.mutate()}
        >
          {confirm}
        </Button>
      </div>
    </>
  );
}
