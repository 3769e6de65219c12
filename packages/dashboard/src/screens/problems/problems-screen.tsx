import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { failuresQuery } from "../../data/observe/metrics.ts";
import { type Problem, problemsQuery } from "../../data/observe/problems.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordFilter, WordSelect } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { problemColumns } from "./problem-columns.tsx";
import { pageOf } from "./problem-words.ts";

/** What is broken in the environment; without a state in the address, what is open. */
export function ProblemsScreen() {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { state, kind } = useAddress().words;
  const filter = { state: state ?? "open", kind };
  const list = usePagedRows(problemsQuery(environment, filter));
  const failuresOf = useFailures(environment, list.rows);
  return (
    <ListScreen
      id="problems"
      title={texts.title}
      columns={useMemo(() => problemColumns(texts, failuresOf), [texts, failuresOf])}
      list={list}
      keyOf={keyOf}
      pageOf={(row) => pageOf(environment, row)}
      filters={
        <>
          <WordSelect
            word="state"
            label={texts.state}
            choices={choicesOf(texts.states)}
            byDefault="open"
          />
          <WordFilter word="kind" label={texts.kind} choices={choicesOf(texts.kinds)} />
        </>
      }
      values={{ state: texts.states, kind: texts.kinds }}
      narrowing={{ state: texts.state, kind: texts.kind }}
      examples={[
        curlOf("listProblems", environment, { query: Object(filter) }),
        nodeOf(environment, `problems.list(${JSON.stringify(filter)})`),
      ]}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

/** Of the function that a problem is about, else of its integration. */
function useFailures(environment: string, rows: readonly Problem[]) {
  const mayRead = useMay("environment:logs:read");
  const functions = namesOf(rows.map((row) => row.function));
  const integrations = namesOf(
    rows.map(({ function: name, integration }) => (name === null ? integration : null)),
  );
  const byFunction = failuresQuery(environment, "function", mayRead ? functions : []);
  const byIntegration = failuresQuery(environment, "integration", mayRead ? integrations : []);
  const { data: ofFunctions } = useQuery(byFunction);
  const { data: ofIntegrations } = useQuery(byIntegration);
  return useCallback(
    ({ function: name, integration }: Problem) =>
      name === null ? ofIntegrations?.get(integration ?? "") : ofFunctions?.get(name),
    [ofFunctions, ofIntegrations],
  );
}

function namesOf(names: readonly (string | null)[]): string[] {
  return [...new Set(names.filter((name) => name !== null))].toSorted();
}

function keyOf({ id }: Problem): string {
  return id;
}
