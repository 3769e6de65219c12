import { type FieldErrorCode, invalidFields } from "./field-faults.ts";

/** A value that a request may hold at several places. */
export interface PlacedValues {
  readonly header?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: string | undefined;
}

/** The value, from any place; undefined for none. Throws 400 where two places hold different ones. */
export function oneValue(name: string, { header, query, body }: PlacedValues): string | undefined {
  const value = body ?? query ?? header;
  const isOther = (other: string | undefined) => other !== undefined && other !== value;
  if (isOther(query) || isOther(header)) {
    const code: FieldErrorCode = body === undefined ? "invalid_query_params" : "invalid_body";
    const others = [isOther(query) && "query", isOther(header) && "headers"].filter(Boolean);
    const message = `has another value than in the ${others.join(" and the ")}; send it in one place`;
    throw invalidFields(code, [{ path: [name], message }]);
  }
  return value;
}
