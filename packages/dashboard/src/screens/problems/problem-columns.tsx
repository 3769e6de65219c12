import type { Problem } from "../../data/observe/problems.ts";
import { Badge } from "../../parts/badge.tsx";
import { Sparkline } from "../../parts/charts/sparkline.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";
import { affectedOf, kindOf, toneOf } from "./problem-words.ts";

/** Columns of the list of problems; `failuresOf` gives those of its function or integration, hour by hour. */
export function problemColumns(
  texts: Texts["problems"],
  failuresOf: (problem: Problem) => readonly number[] | undefined,
): readonly Column<Problem>[] {
  return [
    {
      id: "title",
      header: texts.problem,
      width: "minmax(190px, 4fr)",
      cell: ({ title }) => plainText(title),
    },
    {
      id: "kind",
      header: texts.kind,
      width: "214px",
      cell: (problem) => (
        <span title={texts.states[problem.state]}>
          <Badge tone={toneOf(problem)}>
            {problem.state === "open" ? kindOf(problem, texts) : texts.states[problem.state]}
          </Badge>
        </span>
      ),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(96px, 0.6fr)",
      cell: ({ integration }) => plainText(integration ?? ""),
    },
    {
      id: "affected",
      header: texts.affected,
      width: "116px",
      cell: (problem) => affectedOf(problem, texts),
    },
    {
      id: "failures",
      header: texts.failures,
      width: "116px",
      cell: (problem) => <Failures values={failuresOf(problem)} texts={texts} />,
    },
    {
      id: "since",
      header: texts.since,
      width: "148px",
      cell: ({ since }) => <Time at={since} isShort />,
    },
    {
      id: "last",
      header: texts.last,
      width: "148px",
      cell: ({ last_at: at }) => <Time at={at} isShort />,
    },
  ];
}

function Failures({
  values,
  texts,
}: {
  values: readonly number[] | undefined;
  texts: Texts["problems"];
}) {
  const sum = values?.reduce((all, value) => all + value, 0) ?? 0;
  if (values === undefined || sum === 0) return null;
  const label = texts.failuresLabel(formatNumber(sum), formatNumber(Math.max(...values)));
  return <Sparkline values={values} label={label} tone="bad" />;
}
