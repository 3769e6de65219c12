import type { MetricRange } from "../../data/observe/metrics.ts";
import { formatShare } from "../../parts/formats.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Below it a figure is the same. */
const SAME = 0.005;

/** How a figure differs from that of the time before; nothing where there was none, or it is not read yet. */
export function Change({
  range,
  now,
  before,
  words,
}: {
  range: MetricRange;
  now: number | null | undefined;
  before: number | null | undefined;
  words: (share: string, isMore: boolean, before: string) => string;
}) {
  const { home: texts } = useTexts();
  if (typeof now !== "number" || typeof before !== "number" || before === 0) return null;
  const change = (now - before) / before;
  return (
    <span className="soft">
      {Math.abs(change) < SAME
        ? texts.sameAs(texts.before[range])
        : words(formatShare(Math.abs(change)), change > 0, texts.before[range])}
    </span>
  );
}
