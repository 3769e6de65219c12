import assert from "node:assert";
import { getProvider, readProvider } from "@jackfield/catalogue";
import type { AuthSubject } from "../auth-mode.ts";

/** An integration of the catalogue's provider as a mode gets to see it, with the fields' defaults. */
export function subjectOfProvider(
  id: string,
  config: Readonly<Record<string, string>> = {},
  client: Partial<NonNullable<AuthSubject["integrationCredentials"]>> = {},
): AuthSubject {
  const provider = getProvider(id);
  assert(provider !== undefined);
  const integrationConfig: Record<string, string> = { ...config };
  for (const [name, field] of Object.entries(provider.integration_config)) {
    if (field.default !== undefined) integrationConfig[name] ??= field.default;
  }
  return {
    provider,
    integrationCredentials:
      provider.auth_mode === "OAUTH2"
        ? { type: "OAUTH2", client_id: "the client", client_secret: "s3cret+/=&", ...client }
        : undefined,
    integrationConfig,
    connectionConfig: {},
  };
}

/** An integration of an entry that exists for a test only; addresses without TLS are no fault here. */
export function subjectOfEntry(
  entry: Readonly<Record<string, unknown>>,
  known: Partial<Omit<AuthSubject, "provider">> = {},
): AuthSubject {
  const basics = { id: "quirk", display_name: "Quirk", categories: ["other"] };
  const { provider, faults } = readProvider({ ...basics, ...entry });
  assert.deepEqual(
    faults.filter((fault) => !fault.endsWith("is not https")),
    [],
  );
  assert(provider !== undefined);
  return {
    provider,
    integrationCredentials: undefined,
    integrationConfig: {},
    connectionConfig: {},
    ...known,
  };
}
