import { type ReactNode, useEffect, useRef } from "react";
import { nameScreen } from "../data/live/title.ts";
import { plainText } from "../parts/formats.ts";
import { Go, type Target } from "../parts/go.tsx";

/** What a screen is, and what can be done with it. Its title is the window's, and takes the focus when it opens. */
export function ScreenHead({
  title,
  parent,
  badge,
  children,
}: {
  title: string;
  parent?: { readonly text: string; readonly target: Target };
  badge?: ReactNode;
  children?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    nameScreen(title);
  }, [title]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className="screen-head">
      {parent !== undefined && (
        <>
          <Go className="parent" target={parent.target}>
            {parent.text}
          </Go>
          <span className="soft" aria-hidden="true">
            /
          </span>
        </>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {plainText(title)}
      </h1>
      {badge}
      <span className="space" />
      {children}
    </header>
  );
}
