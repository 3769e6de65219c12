import type { Draft } from "../../../data/agents/toolset-draft.ts";
import { ApiError } from "../../../data/api.ts";
import { toSentence } from "../../../parts/forms/place-faults.ts";

/** What the server says of a field, by its path in the body, such as `tools.0.actions`. */
export type FaultAt = (path: string) => string | undefined;

/** What each part of the form has. */
export interface PartProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
  readonly faultAt: FaultAt;
}

/** The first fault at the path or below it. */
export function faultsOf(error: unknown): FaultAt {
  const details = error instanceof ApiError ? error.details : [];
  const known = details.map(({ path = [], message = "" }) => ({
    path: path.join("."),
    message: toSentence(message),
  }));
  return (path) =>
    known.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.message;
}
