import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { basePath } from "../../start/base-path.ts";
import type { Target } from "../go.tsx";

/**
 * The link of a row: as `Go`, but without what a link of the router computes for itself, since a list that scrolls makes
 * hundreds of them a second.
 */
export function RowLink({
  target,
  index,
  isActive,
  isOpen,
  onFocus,
  children,
}: {
  target: Target;
  index: number;
  isActive: boolean;
  isOpen: boolean;
  onFocus: () => void;
  children: ReactNode;
}) {
  const router = useRouter();
  const { to, search = {} } = target;
  const options = Object({ to, search });
  const words = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
  const path = to === "." ? router.latestLocation.pathname : to;
  return (
    <a
      href={`${basePath}${path}${query}`}
      data-row={index}
      tabIndex={isActive ? 0 : -1}
      aria-current={isOpen ? "true" : undefined}
      onFocus={onFocus}
      onPointerDown={() => {
        if (to !== ".") void router.preloadRoute(options);
      }}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        void router.navigate(options);
      }}
    >
      {children}
    </a>
  );
}

/** With a key held, or another button, the browser opens a tab or saves. */
function isPlainClick(event: MouseEvent): boolean {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !(ctrlKey || metaKey || shiftKey || altKey || defaultPrevented);
}
