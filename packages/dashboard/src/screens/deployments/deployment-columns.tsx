import type { Deployment } from "../../data/environment/deployments.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { deploymentListTexts } from "../../texts/environment/deployment-list.ts";

type DeploymentTexts = (typeof deploymentListTexts)["english"];

export function DeploymentBadge({
  deployment: { state },
  texts,
}: {
  deployment: Deployment;
  texts: DeploymentTexts;
}) {
  return <Badge tone={state === "success" ? "good" : "bad"}>{texts.states[state]}</Badge>;
}

/** Who deployed: by name where it was known, else by its kind. */
export function actorOf(
  { actor: { name, type } }: Pick<Deployment, "actor">,
  { actors }: Pick<DeploymentTexts, "actors">,
): string {
  return name ?? actors[type] ?? type;
}

/** As git shortens the id of a commit. */
const SHORT = 7;

/** Columns of the list of deployments. */
export function deploymentColumns(
  texts: DeploymentTexts,
  more: { readonly commit: string },
): readonly Column<Deployment>[] {
  return [
    {
      id: "time",
      header: texts.time,
      width: "136px",
      cell: (row) => <Time at={row.created_at} isShort />,
    },
    {
      id: "state",
      header: texts.state,
      width: "152px",
      cell: (row) => <DeploymentBadge deployment={row} texts={texts} />,
    },
    {
      id: "changes",
      header: texts.changes,
      width: "130px",
      cell: ({ plan: { created, updated, removed } }) => (
        <span className="mono">
          {texts.changesOf(formatNumber(created), formatNumber(updated), formatNumber(removed))}
        </span>
      ),
    },
    {
      id: "way",
      header: texts.way,
      width: "minmax(150px, 1fr)",
      cell: ({ way }) => texts.ways[way],
    },
    {
      id: "actor",
      header: texts.actor,
      width: "minmax(140px, 1fr)",
      cell: (row) => plainText(actorOf(row, texts)),
    },
    {
      id: "commit",
      header: more.commit,
      width: "minmax(130px, 1fr)",
      cell: ({ commit, branch }) => (
        <span title={commit ?? undefined}>
          {plainText(branch ?? "", 60)} <span className="mono">{commit?.slice(0, SHORT)}</span>
        </span>
      ),
    },
    {
      id: "functions",
      header: texts.plan,
      width: "minmax(180px, 2fr)",
      cell: ({ plan, error }) =>
        plainText(error?.message ?? plan.changes.map(({ name }) => name).join(", ")),
    },
  ];
}
