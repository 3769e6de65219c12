import { type Provider, webhookRouters } from "@jackfield/catalogue";
import { isSecretName } from "@jackfield/contract/secret-names";
import { redactText } from "#logs";
import type { Credentials } from "./auth-mode.ts";

type Values = Readonly<Record<string, string>>;

/** The secret fields of connection_config, which are kept with the credentials and sealed with them. */
export function secretConfigOf(credentials: Readonly<Record<string, unknown>>): Values {
  const kept = credentials["connection_config"];
  if (typeof kept !== "object" || kept === null) return {};
  const entries = Object.entries(kept).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries);
}

/** By these the events of providers find their connection, so they stay in the open. */
const matchedNames = new Set(Object.values(webhookRouters).flat());

/**
 * Whether a value of connection_config is kept with the credentials: the entry says it of its fields and of what it
 * captures; of anything else its name or its form tells.
 */
export function isSecretConfig(
  provider: Provider | undefined,
  [name, value]: readonly [string, string],
): boolean {
  const fields = provider?.connection_config ?? {};
  if (Object.hasOwn(fields, name)) return fields[name]?.secret === true;
  if (value === "" || matchedNames.has(name)) return false;
  if (provider !== undefined && isCaptured(provider, name)) return false;
  return isSecretName(name) || redactText(value) !== value;
}

function isCaptured(provider: Provider, name: string): boolean {
  if (!("capture" in provider)) return false;
  return Object.values(provider.capture).some((captured) => Object.hasOwn(captured, name));
}

/** A configuration apart: what anyone may see, and what is kept with the credentials. */
export function splitSecretConfig(provider: Provider | undefined, config: Values) {
  const entries = Object.entries(config);
  const secret = entries.filter((entry) => isSecretConfig(provider, entry));
  if (secret.length === 0) return { open: config, secret: {} };
  const open = entries.filter((entry) => !isSecretConfig(provider, entry));
  return { open: Object.fromEntries(open), secret: Object.fromEntries(secret) };
}

/** Moves what is secret of a configuration to the credentials, over what they keep. */
export function liftSecretConfig(
  provider: Provider | undefined,
  { credentials, config }: { credentials: Credentials; config: Values },
): { credentials: Credentials; config: Values } {
  const { open, secret } = splitSecretConfig(provider, config);
  if (open === config) return { credentials, config };
  const kept = { ...secretConfigOf(credentials), ...secret };
  return { credentials: { ...credentials, connection_config: kept }, config: open };
}
