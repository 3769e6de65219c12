import type { AuthOptions, Credentials } from "@jackfield/frontend";
import type { FieldTarget, FormField, FormValues } from "@jackfield/ui/form-fields.ts";
import { tidyValue } from "@jackfield/ui/validate-field.ts";
import { isBrowserMode } from "./list-form-fields.ts";
import type { Provider } from "./platform.ts";

/** What a filled form means for the client: connection settings and credentials of the mode. */
export function toAuthOptions(
  provider: Provider,
  fields: readonly FormField[],
  values: FormValues,
): AuthOptions {
  const pick = (target: FieldTarget): Record<string, string> =>
    Object.fromEntries(
      fields
        .filter((field) => field.target === target)
        .map((field) => [field.name, tidyValue(field, values[field.id] ?? "")] as const)
        .filter(([, value]) => value !== ""),
    );
  const params = pick("params");
  const given = { ...pick("credentials"), ...pick("override") };
  const credentials = completeCredentials(provider, given);
  return {
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(Object.keys(credentials).length === 0 ? {} : { credentials: asCredentials(credentials) }),
    ...(provider.installation === "outbound" ? { installation: "outbound" as const } : {}),
  };
}

function completeCredentials(
  provider: Provider,
  given: Record<string, string>,
): Record<string, string> {
  return isBrowserMode(provider) ? given : { type: provider.auth_mode, ...given };
}

/** The fields are those that the mode's entry names; the client chooses the route by them. */
function asCredentials(fields: Record<string, string>): Credentials {
  return fields as Credentials;
}
