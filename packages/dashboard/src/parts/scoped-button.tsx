import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { useMay } from "../shell/use-environment.ts";
import { useTexts } from "../texts/use-texts.ts";

/** A button for what needs a scope; without it, it cannot be pressed and says why. */
export function ScopedButton({
  scope,
  look = "",
  isPending = false,
  isDisabled = false,
  type = "button",
  onPress,
  children,
}: {
  /** Left out where the account decides, which `isDisabled` then says. */
  scope: string | undefined;
  look?: "primary" | "danger" | "small" | "";
  isPending?: boolean;
  isDisabled?: boolean;
  type?: "button" | "submit";
  onPress?: () => void;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const may = useMay(scope ?? "");
  const isAllowed = scope === undefined || may;
  const button = (
    <Button
      className={`button ${look}`.trim()}
      isDisabled={!isAllowed || isDisabled}
      isPending={isPending}
      type={type}
      {...(onPress === undefined ? {} : { onPress })}
    >
      {children}
    </Button>
  );
  return isAllowed ? button : <span title={tables.forbiddenText(scope)}>{button}</span>;
}
