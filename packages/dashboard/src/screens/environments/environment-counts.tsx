import { useQuery } from "@tanstack/react-query";
import { connectionCountsQuery } from "../../data/connections.ts";
import type { OwnEnvironment } from "../../data/me.ts";
import { openProblemsQuery } from "../../data/observe/problems.ts";
import { holdsScope } from "../../data/scopes.ts";
import { formatNumber } from "../../parts/formats.ts";
import { environmentTexts } from "../../texts/screens/shell/environments.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** As many as the query of open problems reads. */
const MOST_PROBLEMS = 100;

/** How many connections it has; read only for rows in sight, and where the person may know. */
export function ConnectionCount({ own }: { own: OwnEnvironment | undefined }) {
  const { tables } = useTexts();
  const may = own !== undefined && holdsScope(own.scopes, "environment:connections:list");
  const { data } = useQuery({ ...connectionCountsQuery(own?.name ?? ""), enabled: may });
  return data === undefined ? tables.nothing : formatNumber(data.total);
}

/** How many problems are open in it. */
export function ProblemCount({ own }: { own: OwnEnvironment | undefined }) {
  const { tables } = useTexts();
  const texts = useTextsOf(environmentTexts);
  const may = own !== undefined && holdsScope(own.scopes, "environment:problems:read");
  const { data } = useQuery({ ...openProblemsQuery(own?.name ?? ""), enabled: may });
  if (data === undefined) return tables.nothing;
  if (data.length === 0) return texts.noProblems;
  return `${formatNumber(data.length)}${data.length >= MOST_PROBLEMS ? "+" : ""}`;
}
