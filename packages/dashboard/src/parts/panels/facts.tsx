import type { ReactNode } from "react";

/** Names and values, without those that have none. */
export function Facts({
  rows,
}: {
  rows: readonly (readonly [name: string, value: ReactNode | undefined])[];
}) {
  return (
    <dl className="facts">
      {rows
        .filter(
          ([, value]) => value !== undefined && value !== null && value !== false && value !== "",
        )
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
