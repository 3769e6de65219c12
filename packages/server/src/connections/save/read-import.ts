import { importedCredentials } from "@jackfield/contract";
import { type Credentials, getAuthMode } from "#auth-modes";
import { parseValues } from "#foundation";
import { type Integration, providerOf } from "#integrations";

/** Credentials of `POST /connections`: without `type` they are those of the provider's mode. Throws invalid_body. */
export function readImport(
  integration: Integration,
  given: Readonly<Record<string, unknown>> & { readonly type?: string | undefined },
): Credentials {
  if (given.type !== undefined) return { ...given, type: given.type };
  const type = getAuthMode(providerOf(integration).auth_mode).id;
  const at = { code: "invalid_body", within: ["credentials"] } as const;
  return parseValues(importedCredentials, { ...given, type }, at);
}
