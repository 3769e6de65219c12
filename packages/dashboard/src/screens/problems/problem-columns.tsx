import type { Problem } from "../../data/observe/problems.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/data-table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";
import { affectedOf, kindOf, toneOf } from "./problem-words.ts";

/** Columns of every list of problems. */
export function problemColumns(texts: Texts["problems"]): readonly Column<Problem>[] {
  return [
    {
      id: "title",
      header: texts.problem,
      width: "minmax(230px, 3fr)",
      cell: ({ title }) => plainText(title),
    },
    {
      id: "state",
      header: texts.state,
      width: "110px",
      cell: (problem) => <Badge tone={toneOf(problem)}>{texts.states[problem.state]}</Badge>,
    },
    {
      id: "kind",
      header: texts.kind,
      width: "170px",
      cell: (problem) => kindOf(problem, texts),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(110px, 1fr)",
      cell: ({ integration }) => plainText(integration ?? ""),
    },
    {
      id: "affected",
      header: texts.affected,
      width: "130px",
      cell: (problem) => affectedOf(problem, texts),
    },
    {
      id: "since",
      header: texts.since,
      width: "136px",
      cell: ({ since }) => <Time at={since} />,
    },
    {
      id: "last",
      header: texts.last,
      width: "136px",
      cell: ({ last_at: at }) => <Time at={at} />,
    },
  ];
}
