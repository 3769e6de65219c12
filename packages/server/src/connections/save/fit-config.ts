import type { Provider } from "@jackfield/catalogue";
import { findConfigFault, trimFieldValue } from "#integrations";
import { invalidFields } from "#platform";

type Values = Readonly<Record<string, string>>;

/**
 * Values of an import as the form would take them, without prefix and suffix of their fields. Refuses those that the
 * entry's fields rule out, those that the server would fill among them: some choose the host that gets the
 * integration's client secret. None has to be there. Throws invalid_body.
 */
export function fitConfig(provider: Provider, config: Values): Values {
  const fitting = Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      const field = provider.connection_config[name];
      return [name, field === undefined ? value : trimFieldValue(field, value)];
    }),
  );
  const faults = Object.entries(fitting).flatMap(([name, value]) => {
    const message = findConfigFault(provider, name, value);
    return message === undefined ? [] : [{ message, path: ["connection_config", name] }];
  });
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
  return fitting;
}
