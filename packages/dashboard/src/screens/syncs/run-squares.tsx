import type { LatestRun, ListedSync } from "../../data/syncs.ts";
import { formatShortDay } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { runPageOf } from "./run-words.ts";

/** Distinguished by shape as well as by colour. */
const signs: Readonly<Record<LatestRun["state"], string>> = {
  waiting: "…",
  running: "●",
  success: "✓",
  failed: "✕",
  cancelled: "–",
};

/** The latest runs of a sync, the newest on the right, each a link to its page. */
export function RunSquares({ sync }: { sync: ListedSync }) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const runs = (sync.latest_runs ?? []).toReversed();
  if (runs.length === 0) return <span className="soft">{texts.noRuns}</span>;
  return (
    <span className="squares">
      {runs.map(({ id, state, created_at: at }) => {
        const words = `${texts.runStates[state]}, ${formatShortDay(at)}`;
        return (
          <Go
            key={id}
            className={`square ${state}`}
            target={runPageOf(environment, sync.id, id)}
            aria-label={words}
            title={words}
          >
            <span aria-hidden="true">{signs[state]}</span>
          </Go>
        );
      })}
    </span>
  );
}
