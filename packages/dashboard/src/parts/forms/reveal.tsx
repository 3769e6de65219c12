import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";
import { copyText } from "../copy-text.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";
import { ScopedButton } from "../scoped-button.tsx";

const SHOWN_MS = 30_000;

/** A secret behind its mask: shown after a proof of identity, and hidden again by itself or when the window is left. */
export function Reveal({
  label,
  mask,
  scope = "environment:secrets:reveal",
  read,
}: {
  label: string;
  mask: string;
  /** What the call of `read` needs. */
  scope?: string;
  read: () => Promise<string>;
}) {
  const { tables } = useTexts();
  // Nothing keeps the answer once it is hidden.
  const { data, error, isPending, mutate, reset } = useMutation({ mutationFn: read, gcTime: 0 });
  const isShown = data !== undefined;
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(reset, SHOWN_MS);
    window.addEventListener("blur", reset);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("blur", reset);
    };
  }, [isShown, reset]);
  return (
    <div className="stack">
      {error !== null && <FaultBanner error={error} />}
      <div className="row">
        <code className="grow secret">{data ?? mask}</code>
        {isShown ? (
          <>
            <CopyButton isSmall text={() => data} />
            <Button className="button small" onPress={reset}>
              {tables.hide}
            </Button>
          </>
        ) : (
          <>
            <CopyUnseen label={label} scope={scope} read={read} />
            <ScopedButton scope={scope} look="small" isPending={isPending} onPress={() => mutate()}>
              <span className="hidden">{label}</span> {tables.reveal}
            </ScopedButton>
          </>
        )}
      </div>
    </div>
  );
}

const SAID_MS = 1500;

/** Puts the secret on the clipboard without showing it: nobody reads along. */
function CopyUnseen({
  label,
  scope,
  read,
}: {
  label: string;
  scope: string;
  read: () => Promise<string>;
}) {
  const { tables } = useTexts();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: async () => await copyText(await read()),
    gcTime: 0,
  });
  const isDone = data !== undefined;
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(reset, SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone, reset]);
  return (
    <>
      {error !== null && <FaultBanner error={error} />}
      <ScopedButton scope={scope} look="small" isPending={isPending} onPress={() => mutate()}>
        <span className="hidden">{label}</span>{" "}
        <span aria-live="polite">
          {isDone ? (data ? tables.copied : tables.notCopied) : tables.copy}
        </span>
      </ScopedButton>
    </>
  );
}
