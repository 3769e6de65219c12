import { HEIGHT, lineOf, WIDTH } from "./sparkline-line.ts";

/** Values over time as one small line, without axes; what it says is its name. Gaps are where nothing was measured. */
export function Sparkline({
  values,
  label,
  tone = "run",
}: {
  values: readonly (number | null)[];
  label: string;
  tone?: "run" | "bad";
}) {
  return (
    <svg
      className={`sparkline ${tone}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={lineOf(values)} />
    </svg>
  );
}
