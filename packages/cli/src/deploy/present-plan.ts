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

type Planned = Pick<
  DeploymentPlan["newSyncs"][number],
  "name" | "providerConfigKey" | "connections"
>;

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
    ...presentLostModels(plan),
  ];
}

function presentLostModels({ deletedModels }: DeploymentPlan): string[] {
  return deletedModels.map(
    (model) => `${sign("-")} model    ${model}, which no sync writes any more`,
  );
}

type Impact = NonNullable<DeploymentPlan["impact"]>[number];

const signs = { breaking: "!", removed: "-", compatible: "~", new: "+" } as const;

/** Each function that changes, with the changes that callers and readers meet; what breaks them first. */
export function presentImpact(plan: DeploymentPlan): string[] {
  return [
    ...(plan.impact ?? []).flatMap((fn) => [
      `${line(signs[fn.effect], fn.type, fn)}${presentUse(fn)}`,
      ...fn.parts.map(({ effect, message, widens = false }) => {
        if (effect === "breaking") return `    breaking: ${message}`;
        return widens
          ? `    ${styleText("red", "wider", { stream: process.stdout })}: ${message}`
          : `    ${message}`;
      }),
      ...presentConsumers(fn),
    ]),
    ...presentLostModels(plan),
  ];
}

const MOST_NAMED = 5;

/** Whom it concerns, those with the most uses first. */
function presentConsumers({ consumers }: Impact): string[] {
  if (consumers.length === 0) return [];
  const names = consumers.slice(0, MOST_NAMED).map(({ kind, id, name, uses }) => {
    const times = uses === null ? "" : ` (${uses} time${uses === 1 ? "" : "s"})`;
    return `${kind} ${name ?? id ?? "unknown"}${times}`;
  });
  const left = consumers.length - names.length;
  const others = left > 0 ? [`${left} more`] : [];
  return [`    used in the last 30 days by ${[...names, ...others].join(", ")}`];
}

function presentUse({ effect, runs_24h: runs }: Impact): string {
  if (effect === "new") return "";
  return `, ${runs} run${runs === 1 ? "" : "s"} in the last 24 hours`;
}

/** Whether callers or readers would notice, or a function reaches further than before. */
export function breaks(plan: DeploymentPlan): boolean {
  return (plan.impact ?? []).some(
    ({ effect, parts }) =>
      effect === "breaking" || effect === "removed" || parts.some(({ widens }) => widens === true),
  );
}

function line(kind: Sign, label: string, fn: Planned): string {
  const count = `${fn.connections} connection${fn.connections === 1 ? "" : "s"}`;
  return `${sign(kind)} ${label.padEnd(8)} ${fn.providerConfigKey}/${fn.name} (${count})`;
}

const colours = { "+": "green", "~": "yellow", "-": "red", "!": "red" } as const;
type Sign = keyof typeof colours;

function sign(kind: Sign): string {
  return styleText(colours[kind], kind, { stream: process.stdout });
}
