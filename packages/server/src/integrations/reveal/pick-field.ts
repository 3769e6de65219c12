import { AppError } from "#foundation";

/** One field of credentials as text; throws not_found, naming those that there are. */
export function pickField(
  credentials: Readonly<Record<string, unknown>>,
  field: string,
): { field: string; value: string } {
  const value = Object.hasOwn(credentials, field) ? credentials[field] : undefined;
  if (value !== undefined && value !== null && value !== "") {
    return { field, value: typeof value === "string" ? value : JSON.stringify(value) };
  }
  const names = Object.keys(credentials).filter((name) => name !== "type");
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  throw new AppError("not_found", `The credentials have no field ${field}; ${known}.`);
}
