import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { Go, type Target } from "../go.tsx";

/** A panel next to a list, which stays usable; on narrow windows it covers the list. Esc closes it. */
export function Drawer({
  title,
  page,
  pageText,
  onClose,
  onStep,
  children,
}: {
  title: string;
  /** Address of the same as a page, where there is one. */
  page?: Target;
  /** In place of the words for a page of the same. */
  pageText?: string;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = () => {
    // What has the focus goes with the panel: the row from which it was opened has it next.
    const hasFocus = panel.current?.contains(document.activeElement) === true;
    if (hasFocus) document.querySelector<HTMLElement>("a[data-row][tabindex='0']")?.focus();
    onClose();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) close.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <aside className="drawer" aria-label={title} ref={panel}>
      <header className="drawer-head">
        <h2>{title}</h2>
        <span className="space" />
        <Button
          className="button small"
          data-shortcut="["
          aria-label={tables.previous}
          onPress={() => onStep(-1)}
        >
          ↑
        </Button>
        <Button
          className="button small"
          data-shortcut="]"
          aria-label={tables.next}
          onPress={() => onStep(1)}
        >
          ↓
        </Button>
        {page !== undefined && (
          <Go className="button small" target={page} data-shortcut="o">
            {pageText ?? tables.openPage}
          </Go>
        )}
        <Button className="button small" aria-label={tables.close} onPress={() => close.current()}>
          ✕
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="drawer-body" aria-label={title} tabIndex={0}>
        {children}
      </section>
    </aside>
  );
}
