import { useEffect, useRef } from "react";
import { Go, type Target } from "./go.tsx";

/** Parts of a screen, each with an address of its own. */
export function LinkTabs({
  tabs,
}: {
  tabs: readonly {
    readonly id: string;
    readonly text: string;
    readonly target: Target;
    readonly isCurrent: boolean;
  }[];
}) {
  const row = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.id;
  useEffect(() => {
    // On a narrow window the row is longer than the page.
    if (current === undefined) return;
    row.current
      ?.querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <div className="tabs" ref={row}>
      {tabs.map(({ id, text, target, isCurrent }) => (
        <Go key={id} className="tab" target={target} aria-current={isCurrent ? "page" : undefined}>
          {text}
        </Go>
      ))}
    </div>
  );
}
