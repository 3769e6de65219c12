import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";

/** The frame of a filter: what opens it, and what removes it once something is chosen. */
export function Chip({
  label,
  isSet,
  onClear,
  children,
}: {
  label: string;
  isSet: boolean;
  onClear: () => void;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  return (
    <span className={isSet ? "chip set" : "chip"}>
      {children}
      {isSet && (
        <Button className="chip-clear" aria-label={tables.removeFilter(label)} onPress={onClear}>
          ✕
        </Button>
      )}
    </span>
  );
}

/** Opens the filter; has what is chosen. */
export function ChipButton({ label, chosen }: { label: string; chosen: string | undefined }) {
  return (
    <Button className="chip-button">
      {chosen === undefined ? label : `${label}: ${chosen}`}
      <span aria-hidden="true">▾</span>
    </Button>
  );
}
