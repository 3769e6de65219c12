import { useTexts } from "../../texts/use-texts.ts";

/** What stands in for rows that are being read, in their final height. */
export function Skeleton({ rows, label }: { rows: number; label?: string }) {
  const { shell } = useTexts();
  return (
    <div className="skeleton" role="status">
      <span className="hidden">{label ?? shell.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that are all the same
        <i key={row} />
      ))}
    </div>
  );
}

/** The same of a page, or a part of one, that has no rows. */
export function SkeletonCard() {
  return (
    <div className="card">
      <Skeleton rows={4} />
    </div>
  );
}
