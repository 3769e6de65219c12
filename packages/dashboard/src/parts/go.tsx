import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** An address within the dashboard, without its base. */
export interface Target {
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
}

interface GoProps {
  readonly target: Target;
  readonly className?: string;
  readonly tabIndex?: number;
  readonly "aria-current"?: "true" | "page" | undefined;
  readonly "aria-label"?: string;
  readonly title?: string;
  readonly "data-row"?: number;
  readonly "data-shortcut"?: string;
  readonly onFocus?: () => void;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link within the dashboard; a real one, so that Ctrl opens it in a new tab. */
export function Go({ target, ...props }: GoProps) {
  // The router's types hold for routes that are registered; addresses here are made by functions of their own.
  return (
    <Link
      {...props}
      to={target.to}
      search={Object(target.search ?? {})}
      activeProps={noProps}
      activeOptions={whole}
    />
  );
}

const noProps = {};
/** Only the link to this very address is the current one, and none to a part of it. */
const whole = { exact: true, includeSearch: true, explicitUndefined: true };
