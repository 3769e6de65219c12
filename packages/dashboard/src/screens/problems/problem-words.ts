import type { Problem } from "../../data/observe/problems.ts";
import type { Tone } from "../../parts/badge.tsx";
import { formatNumber } from "../../parts/formats.ts";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";
import type { Texts } from "../../texts/english.ts";

export function pageOf(environment: string, { id }: Pick<Problem, "id">): Target {
  return { to: `${homeOf(environment)}/problems/${id}` };
}

export function toneOf({ state, severity }: Problem): Tone {
  if (state === "resolved") return "good";
  if (state === "muted") return "idle";
  return severity === "error" ? "bad" : "warn";
}

/** A kind in words; of one that a newer server has, its name. */
export function kindOf({ kind }: Pick<Problem, "kind">, texts: Texts["problems"]): string {
  return texts.kinds[kind] ?? kind;
}

/** How many connections or receivers have it. */
export function affectedOf(problem: Problem, texts: Texts["problems"]): string {
  const { count } = problem.connections;
  if (problem.receiver_url !== null && count === 0) return texts.affectedReceiver;
  // Of failures, webhooks and keys the title says how many.
  if (count === 0) return "";
  return texts.affectedConnections(formatNumber(count));
}
