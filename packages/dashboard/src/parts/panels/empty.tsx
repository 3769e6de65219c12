import type { ReactNode } from "react";

/** Where rows would stand: what this is, and one way on. */
export function Empty({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children?: ReactNode;
}) {
  return (
    <div className="empty" role="status">
      <strong>{title}</strong>
      {text !== undefined && <p className="soft">{text}</p>}
      {children}
    </div>
  );
}
