import type { Provider } from "@jackfield/catalogue";
import { findFieldFault } from "#integrations";
import { invalidFields } from "#platform";

/**
 * Refuses values that the entry's fields rule out, those that the platform would fill among them: some choose the
 * host that gets the integration's client secret. None has to be there. Throws invalid_body.
 */
export function requireFittingConfig(
  { connection_config: fields }: Provider,
  config: Readonly<Record<string, string>>,
): void {
  const faults = Object.entries(fields).flatMap(([name, field]) => {
    const message = findFieldFault({ ...field, optional: true }, config[name]);
    return message === undefined ? [] : [{ message, path: ["connection_config", name] }];
  });
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
}
