import type { Provider } from "@jackfield/catalogue";
import { invalidFields } from "#foundation";
import { findConfigFault, findFieldFault, takeAliases, trimFieldValue } from "#integrations";

type Values = Readonly<Record<string, string>>;

/** Names by which inbound webhooks find a connection, regardless of what the entry declares. */
const matchedNames = new Set(["emailAddressHash"]);

/**
 * The connection_config that an attempt starts from: what the customer fixed over what the end user
 * gave, checked against the entry's fields, with defaults. Throws invalid_query_params.
 */
export function resolveConnectionConfig(
  provider: Provider,
  values: { fixed: Values; given: Values },
): Record<string, string> {
  const taken = {
    fixed: takeAliases(provider, values.fixed),
    // What the end user may not fill is not filled under another name either: there it means nothing.
    given: takeAliases(provider, values.given, (name) => !isFilledByPlatform(provider, name)),
  };
  const given = taken.given.config;
  const fixed = taken.fixed.config;
  const faults = [...taken.given.faults, ...taken.fixed.faults].map(
    ({ path: [name = ""], message }) => ({ name, message }),
  );
  for (const name of Object.keys(given)) {
    if (isFilledByPlatform(provider, name)) faults.push({ name, message: "is set by Jackfield" });
  }
  const resolved: Record<string, string> = { ...given, ...fixed };
  for (const [name, field] of Object.entries(provider.connection_config)) {
    if (isFilledByPlatform(provider, name)) {
      // The customer may know it beforehand; it may choose the host that gets the client's secret.
      const message = findConfigFault(provider, name, fixed[name]);
      if (message !== undefined) faults.push({ name, message });
      continue;
    }
    const value = trimFieldValue(field, resolved[name] || field.default || "");
    if (value === "") delete resolved[name];
    else resolved[name] = value;
    const message = findFieldFault(field, value) ?? findConfigFault(provider, name, value);
    if (message !== undefined) faults.push({ name, message });
  }
  if (faults.length === 0) return resolved;
  throw invalidFields(
    "invalid_query_params",
    faults.map(({ name, message }) => ({ message, path: ["params", name] })),
  );
}

/** Such a value decides whose webhooks reach the connection, so no end user may choose it. */
function isFilledByPlatform(provider: Provider, name: string): boolean {
  if (matchedNames.has(name) || provider.connection_config[name]?.automated === true) return true;
  if (!("capture" in provider)) return false;
  return Object.values(provider.capture).some((captured) => Object.hasOwn(captured, name));
}
