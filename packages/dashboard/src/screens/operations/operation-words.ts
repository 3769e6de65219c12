import type { Operation, OperationState } from "../../data/operations.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

const tones: Readonly<Record<OperationState, Tone>> = {
  waiting: "idle",
  running: "run",
  success: "good",
  failed: "bad",
  timeout: "bad",
  cancelled: "idle",
};

export function toneOf(state: OperationState): Tone {
  return tones[state];
}

/** What was done, in the words of a row: `sync contacts`, `action create-contact`. */
export function nameOf({ operation, function: called }: Operation): string {
  const { type, action } = operation;
  if (called !== null) return `${type} ${called.name}`;
  return action === "run" || action === type ? type : `${type} ${action.replaceAll("_", " ")}`;
}

export function pageOf(environment: string, id: string): Target {
  return { to: `${homeOf(environment)}/operations/${id}` };
}

/** The code of an operation's error, else what it says. */
export function faultOf({ error }: Operation): string | undefined {
  const { type, message } = Object(error);
  if (typeof type === "string") return type;
  return typeof message === "string" ? message : undefined;
}

/** What lists the operations that one has caused. */
export function causedPage(environment: string, id: string): Target {
  const search = { actors: id, range: "all" };
  return { to: `${homeOf(environment)}/operations`, search };
}

/** The operation in whose run it was caused. */
export function causeOf({ actor }: Operation): string | undefined {
  const { operation_id: id } = Object(actor);
  return typeof id === "string" ? id : undefined;
}

/** Who caused it: a key by its name, else its kind. */
export function actorOf({ actor }: Operation): string | undefined {
  const { name, kind, type, id } = Object(actor);
  const known = [name, kind ?? type, id].find((value) => typeof value === "string");
  return known;
}
