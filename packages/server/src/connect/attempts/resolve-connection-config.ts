import type { Field, Provider } from "@jackfield/catalogue";
import { findFieldFault } from "#integrations";
import { invalidFields } from "#platform";

type Values = Readonly<Record<string, string>>;

/** Names by which inbound webhooks find a connection, whatever the entry declares. */
const matchedNames = new Set(["emailAddressHash"]);

/**
 * The connection_config that an attempt starts from: what the customer fixed over what the end user
 * gave, checked against the entry's fields, with defaults. Throws invalid_query_params.
 */
export function resolveConnectionConfig(
  provider: Provider,
  { fixed, given }: { fixed: Values; given: Values },
): Record<string, string> {
  const faults = Object.keys(given)
    .filter((name) => isFilledByPlatform(provider, name))
    .map((name) => ({ name, message: "is filled by the platform" }));
  const resolved: Record<string, string> = { ...given, ...fixed };
  for (const [name, field] of Object.entries(provider.connection_config)) {
    if (isFilledByPlatform(provider, name)) {
      // The customer may know it beforehand; it may choose the host that gets the client's secret.
      const message = findFieldFault({ ...field, optional: true }, fixed[name]);
      if (message !== undefined) faults.push({ name, message });
      continue;
    }
    const value = trim(field, resolved[name] || field.default || "");
    if (value === "") delete resolved[name];
    else resolved[name] = value;
    const message = findFieldFault(field, value);
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

/** The whole address may have been pasted where only its middle is asked for. */
function trim({ prefix = "", suffix = "" }: Field, given: string): string {
  let value = given.trim();
  if (prefix !== "" && value.startsWith(prefix)) value = value.slice(prefix.length);
  if (suffix !== "" && value.replace(/\/$/, "").endsWith(suffix)) {
    value = value.replace(/\/$/, "").slice(0, -suffix.length);
  }
  return value;
}
