import type { EnvironmentId } from "#foundation";
import type { AssociatedData } from "#vault";

export function variableAad(environmentId: EnvironmentId, name: string): AssociatedData {
  return { environmentId, table: "environment_variables", column: "value", row: name };
}
