import { type Field, isWebAddress, type Provider } from "@jackfield/catalogue";
import * as z from "zod";
import { AppError } from "#platform";

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
    if (isFilledByPlatform(provider, name)) continue;
    const value = trim(field, resolved[name] || field.default || "");
    if (value === "") delete resolved[name];
    else resolved[name] = value;
    const message = findFault(field, value);
    if (message !== undefined) faults.push({ name, message });
  }
  const [first] = faults;
  if (first === undefined) return resolved;
  throw new AppError("invalid_query_params", `params.${first.name}: ${first.message}`, {
    details: faults.map(({ name, message }) => ({
      code: "custom",
      message,
      path: ["params", name],
    })),
  });
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

function findFault(field: Field, value: string): string | undefined {
  if (value === "") return field.optional ? undefined : "is required";
  if (field.enum !== undefined && !field.enum.includes(value)) {
    return `is not one of ${field.enum.map((option) => JSON.stringify(option)).join(", ")}`;
  }
  if (field.pattern !== undefined && !new RegExp(`^(?:${field.pattern})$`, "u").test(value)) {
    const example = field.example === undefined ? "" : `, such as ${field.example}`;
    return `does not have the expected form${example}`;
  }
  return field.format === undefined ? undefined : checks[field.format]?.(value);
}

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

const checks: Readonly<Record<string, (value: string) => string | undefined>> = {
  uri: (value) => (isWebAddress(value) ? undefined : "is not an http or https address"),
  base_url: (value) =>
    isWebAddress(value) && !value.includes("?")
      ? undefined
      : "is not an http or https address without a query",
  hostname: (value) => (hostName.test(value) ? undefined : "is not a host name"),
  email: (value) => (z.email().safeParse(value).success ? undefined : "is not an e-mail address"),
  uuid: (value) => (z.guid().safeParse(value).success ? undefined : "is not a UUID"),
};
