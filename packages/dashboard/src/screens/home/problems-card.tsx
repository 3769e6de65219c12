import { problemsQuery } from "../../data/observe/problems.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { affectedOf, kindOf, pageOf, toneOf } from "../problems/problem-words.ts";

const SHOWN = 5;

/** The newest open problems. */
export function ProblemsCard() {
  const { home: texts, problems: words } = useTexts();
  const { name: environment } = useEnvironment();
  const list = usePagedRows(problemsQuery(environment, { state: "open", kind: undefined }));
  const count = `${formatNumber(list.rows.length)}${list.hasMore ? "+" : ""}`;
  return (
    <Card
      title={
        list.rows.length === 0 ? texts.problems : `${texts.problems}: ${texts.problemCount(count)}`
      }
      actions={<Go target={{ to: `${homeOf(environment)}/problems` }}>{texts.allProblems}</Go>}
    >
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isLoading && <Skeleton rows={1} />}
      {!list.isLoading && !list.isError && list.rows.length === 0 && (
        <p className="padded">
          <Badge tone="good">{texts.noProblems}</Badge>
        </p>
      )}
      <ul className="rows problems">
        {list.rows.slice(0, SHOWN).map((problem) => (
          <li key={problem.id}>
            <Badge tone={toneOf(problem)}>{kindOf(problem, words)}</Badge>
            <Go target={pageOf(environment, problem)}>{plainText(problem.title)}</Go>
            <span className="soft">{affectedOf(problem, words)}</span>
            <Time at={problem.since} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
