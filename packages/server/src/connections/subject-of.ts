import type { Integration } from "#integrations";
import type { OperationSubject } from "#logs";
import type { Connection } from "./connection.ts";

/** How logs name an integration and, where there is one, its connection. */
export function subjectOf(
  integration: Pick<Integration, "id" | "uniqueKey" | "provider">,
  connection?: Pick<Connection, "id" | "connectionId">,
): OperationSubject {
  const { id, uniqueKey, provider } = integration;
  return {
    integration: { id, name: uniqueKey, provider },
    ...(connection === undefined
      ? {}
      : { connection: { id: connection.id, name: connection.connectionId } }),
  };
}
