import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../texts/use-texts.ts";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 1500;

/** Copies a text, and says whether it has. */
export function CopyButton({
  text,
  label,
  isSmall = false,
}: {
  text: () => string;
  label?: string;
  isSmall?: boolean;
}) {
  const { tables } = useTexts();
  const [outcome, setOutcome] = useState<string>();
  const copy = async () => {
    setOutcome((await copyText(text())) ? tables.copied : tables.notCopied);
    setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  return (
    <Button className={isSmall ? "button small" : "button"} onPress={() => void copy()}>
      <span aria-live="polite">{outcome ?? label ?? tables.copy}</span>
    </Button>
  );
}
