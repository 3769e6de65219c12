import { type FlatImport, importedCredentials } from "@jackfield/contract";
import { type Credentials, getAuthMode } from "#auth-modes";
import { AppError, parseValues } from "#foundation";
import { type Integration, providerOf } from "#integrations";

/** Credentials from the body of the older `POST /connection`; throws the code of what is missing. */
export function readFlatImport(integration: Integration, body: FlatImport, now: Date): Credentials {
  const { id, auth_mode: type } = providerOf(integration);
  const { fromFlat } = getAuthMode(type);
  if (fromFlat === undefined) {
    throw new AppError(
      "invalid_body",
      `Connections of ${id} (${type}) are not imported here: use POST /connections or a connect session.`,
    );
  }
  return parseValues(
    importedCredentials,
    { type, ...fromFlat(body, now) },
    { code: "invalid_body" },
  );
}
