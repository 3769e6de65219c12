import { useMemo } from "react";
import { type Problem, problemsQuery } from "../../data/observe/problems.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordFilter } from "../../parts/list/word-filters.tsx";
import { curlOf, fetchOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { problemColumns } from "./problem-columns.tsx";
import { pageOf } from "./problem-words.ts";

/** What is broken in the environment; without a state in the address, what is open. */
export function ProblemsScreen() {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { state, kind } = useAddress().words;
  const filter = { state: state ?? "open", kind };
  return (
    <ListScreen
      id="problems"
      title={texts.title}
      columns={useMemo(() => problemColumns(texts), [texts])}
      list={usePagedRows(problemsQuery(environment, filter))}
      keyOf={keyOf}
      pageOf={(row) => pageOf(environment, row)}
      filters={
        <>
          <WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />
          <WordFilter word="kind" label={texts.kind} choices={choicesOf(texts.kinds)} />
        </>
      }
      narrowing={{ state: undefined, kind: undefined }}
      examples={[
        curlOf("listProblems", environment, { query: Object(filter) }),
        fetchOf("listProblems", environment, { query: Object(filter) }),
      ]}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: Problem): string {
  return id;
}
