import type { Scope } from "@jackfield/contract";
import { AppError, type EnvironmentContext, holdsScope, rowsOfActor } from "#foundation";
import type { ChangeTopic } from "#logs";
import { type EventStream, eventHub } from "./event-hub.ts";

/** Who may read the lists may hear that they have changed. */
const scopeOf: Readonly<Record<ChangeTopic, Scope>> = {
  operations: "environment:logs:read",
  connections: "environment:connections:list",
  syncs: "environment:syncs:read",
  problems: "environment:problems:read",
  deliveries: "environment:webhooks:read",
  inbox: "environment:webhooks:read",
  setup: "environment:logs:read",
  agents: "environment:agents:read",
  "connect-links": "environment:connect_sessions:read",
  revocations: "environment:revocations:read",
};

/** Throws forbidden for a topic that is not the caller's, and too_many_request past the number of streams. */
export function openStream(ctx: EnvironmentContext, topics: readonly ChangeTopic[]): EventStream {
  for (const topic of topics) {
    if (holdsScope(ctx.actor, scopeOf[topic])) continue;
    const scope = scopeOf[topic];
    throw new AppError("forbidden", `The topic \`${topic}\` takes the scope \`${scope}\`.`);
  }
  const stream = eventHub.of(ctx).open(ctx.environment.id, topics, rowsOfActor(ctx));
  if (stream !== undefined) return stream;
  throw new AppError(
    "too_many_request",
    "The environment has as many streams of events as it may, which is 50 in each process: share one among tabs.",
  );
}
