import { styleText } from "node:util";
import type { DeploymentPlan } from "@jackfield/contract";

const kinds = [
  { label: "sync", added: "newSyncs", changed: "updatedSyncs", removed: "deletedSyncs" },
  { label: "action", added: "newActions", changed: "updatedActions", removed: "deletedActions" },
  {
    label: "on-event",
    added: "newOnEventScripts",
    changed: "updatedOnEventScripts",
    removed: "deletedOnEventScripts",
  },
] as const;

type Planned = DeploymentPlan["newSyncs"][number];

/** One line for each function that is added, changed or removed, and each model that goes. */
export function presentPlan(plan: DeploymentPlan): string[] {
  return [
    ...kinds.flatMap(({ label, added }) => plan[added].map((fn) => line("+", label, fn))),
    ...kinds.flatMap(({ label, changed }) => plan[changed].map((fn) => line("~", label, fn))),
    ...presentRemovals(plan),
  ];
}

/** The lines of what a deployment takes away; none: it takes nothing away. */
export function presentRemovals(plan: DeploymentPlan): string[] {
  return [
    ...kinds.flatMap(({ label, removed }) => plan[removed].map((fn) => line("-", label, fn))),
    ...plan.deletedModels.map(
      (model) => `${sign("-")} model    ${model}, which no sync writes any more`,
    ),
  ];
}

function line(kind: "+" | "~" | "-", label: string, fn: Planned): string {
  const count = `${fn.connections} connection${fn.connections === 1 ? "" : "s"}`;
  return `${sign(kind)} ${label.padEnd(8)} ${fn.providerConfigKey}/${fn.name} (${count})`;
}

const colours = { "+": "green", "~": "yellow", "-": "red" } as const;

function sign(kind: "+" | "~" | "-"): string {
  return styleText(colours[kind], kind, { stream: process.stdout });
}
