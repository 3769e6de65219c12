import { type ReactNode, useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useMayInAccount } from "../shell/use-account.ts";
import { useMay } from "../shell/use-environment.ts";
import { useTexts } from "../texts/use-texts.ts";

/** A scope of the environment of this screen, or of the account. */
type Scope = string;

/** What a button needs: what of it is missing is said where the button cannot be pressed. */
export type Needed = Scope | readonly [Scope, Scope] | undefined;

/** Why it cannot be pressed at the moment, where the screen does not show that already. */
export type Reason = string | undefined;

/** A button for what needs a scope; without it, or for another reason, it cannot be pressed and says why. */
export function ScopedButton({
  scope,
  reason,
  look = "",
  isPending = false,
  isDisabled = false,
  type = "button",
  onPress,
  children,
}: {
  scope: Needed;
  reason?: Reason;
  look?: "primary" | "danger" | "small" | "";
  isPending?: boolean;
  isDisabled?: boolean;
  type?: "button" | "submit";
  /** Left out where the button opens a menu or submits a form. */
  onPress?: () => void;
  children: ReactNode;
}) {
  return (
    <Scoped scope={scope} reason={reason} look={look} type={type} label={children}>
      <Button
        className={`button ${look}`.trim()}
        isDisabled={isDisabled}
        isPending={isPending}
        type={type}
        {...(onPress === undefined ? {} : { onPress })}
      >
        {children}
      </Button>
    </Scoped>
  );
}

/** Around a button: where it cannot be pressed, one in its place that can be reached, does nothing and says why. */
export function Scoped({
  scope,
  reason,
  look,
  type = "button",
  label,
  name,
  children,
}: {
  scope: Needed;
  reason?: Reason;
  look: string;
  type?: "button" | "submit";
  label: ReactNode;
  name?: string | undefined;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const id = useId();
  const [isDismissed, setDismissed] = useState(false);
  const [first, second] = typeof scope === "string" ? [scope] : (scope ?? []);
  const mayFirst = useHolds(first);
  const maySecond = useHolds(second);
  const missing = mayFirst ? (maySecond ? undefined : second) : first;
  const said = missing === undefined ? reason : tables.forbiddenText(missing);
  if (said === undefined) return children;
  return (
    <span className="refused" data-dismissed={isDismissed}>
      <button
        // The button of a form stays its default one, so that Enter does not send the form either.
        type={type}
        className={`button ${look}`}
        aria-label={name}
        aria-disabled
        aria-describedby={id}
        data-disabled
        onClick={(event) => {
          event.preventDefault();
          // Safari does not focus what is pressed.
          event.currentTarget.focus();
        }}
        onBlur={() => setDismissed(false)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isDismissed) return;
          // The next one closes the dialog around it.
          event.stopPropagation();
          setDismissed(true);
        }}
      >
        {label}
      </button>
      <span role="tooltip" id={id}>
        {said}
      </span>
    </span>
  );
}

/** In a form: why it cannot be saved, before somebody fills it in. */
export function ScopeNote({ scope }: { scope: Scope }) {
  const { tables } = useTexts();
  return useHolds(scope) ? null : <p className="soft">{tables.forbiddenText(scope)}</p>;
}

function useHolds(scope: Scope | undefined): boolean {
  const inEnvironment = useMay(scope ?? "");
  const inAccount = useMayInAccount(scope ?? "");
  if (scope === undefined) return true;
  return scope.startsWith("account:") ? inAccount : inEnvironment;
}
