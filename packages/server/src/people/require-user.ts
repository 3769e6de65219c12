import assert from "node:assert";
import type { Actor, SystemContext } from "#foundation";

export type UserActor = Extract<Actor, { kind: "user" }>;

/** Who calls a route that only users call. */
export function requireUser({ actor }: Pick<SystemContext, "actor">): UserActor {
  assert(actor.kind === "user");
  return actor;
}
