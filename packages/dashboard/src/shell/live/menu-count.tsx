import { useQuery } from "@tanstack/react-query";
import type { OwnEnvironment } from "../../data/me.ts";
import { openProblemsQuery } from "../../data/observe/problems.ts";
import { holdsScope } from "../../data/scopes.ts";
import { formatNumber } from "../../parts/formats.ts";
import { useTexts } from "../../texts/use-texts.ts";
import type { MenuEntry } from "../screens.ts";

/** Screens that say how many problems of theirs are open, with the kinds of these; none for all. */
const counted: Partial<Record<MenuEntry["name"], ReadonlySet<string>>> = {
  problems: new Set(),
  webhooksOut: new Set(["receiver_failing", "receiver_disabled"]),
  webhooksIn: new Set(["inbox_failed"]),
};

/** How many problems an entry of the menu has. */
export function MenuCount({
  entry,
  environment,
}: {
  entry: MenuEntry;
  environment: OwnEnvironment;
}) {
  const { shell: texts } = useTexts();
  const kinds = counted[entry.name];
  const { data = [] } = useQuery({
    ...openProblemsQuery(environment.name),
    enabled: kinds !== undefined && holdsScope(environment.scopes, "environment:problems:read"),
  });
  const count = data.filter(({ kind }) => kinds?.size === 0 || kinds?.has(kind) === true).length;
  if (kinds === undefined || count === 0) return null;
  return (
    <span className="menu-count">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="hidden">{texts.openProblems(formatNumber(count))}</span>
    </span>
  );
}
