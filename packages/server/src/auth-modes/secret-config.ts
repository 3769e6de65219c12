import type { Provider } from "@jackfield/catalogue";
import type { Credentials } from "./auth-mode.ts";

type Values = Readonly<Record<string, string>>;

/** The secret fields of connection_config, which are kept with the credentials and sealed with them. */
export function secretConfigOf(credentials: Credentials): Values {
  const kept = credentials["connection_config"];
  if (typeof kept !== "object" || kept === null) return {};
  const entries = Object.entries(kept).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries);
}

/** Moves what the entry declares secret out of a configuration to the credentials, over what they keep. */
export function liftSecretConfig(
  provider: Pick<Provider, "connection_config"> | undefined,
  { credentials, config }: { credentials: Credentials; config: Values },
): { credentials: Credentials; config: Values } {
  const fields = provider?.connection_config ?? {};
  const isSecret = ([name]: [string, string]) => fields[name]?.secret === true;
  const secret = Object.entries(config).filter(isSecret);
  if (secret.length === 0) return { credentials, config };
  const kept = { ...secretConfigOf(credentials), ...Object.fromEntries(secret) };
  return {
    credentials: { ...credentials, connection_config: kept },
    config: Object.fromEntries(Object.entries(config).filter((entry) => !isSecret(entry))),
  };
}
