import { failMissingConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";

interface Named {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A key that is bound to an end user finds no other's connection: they are as if they were not there. */
export function requireBounds(
  { actor }: Pick<EnvironmentContext, "actor">,
  { integrationKey, connectionId, tags }: Named,
): void {
  if (actor.kind !== "key" || actor.boundTo === undefined) return;
  const { endUserId, integrations } = actor.boundTo;
  const isAllowed = integrations?.includes(integrationKey) ?? true;
  if (isAllowed && tags["end_user_id"] === endUserId) return;
  failMissingConnection(integrationKey, connectionId);
}
