import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../texts/use-texts.ts";

const SHOWN_MS = 1500;

/** Copies a text, and says that it has. */
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
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <Button className={isSmall ? "button small" : "button"} onPress={() => void copy()}>
      <span aria-live="polite">{isCopied ? tables.copied : (label ?? tables.copy)}</span>
    </Button>
  );
}
