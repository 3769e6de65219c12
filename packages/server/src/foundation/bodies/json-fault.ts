/** Why a body is refused; known in the thread too, which loads neither the contract nor the error table. */
export class JsonFault extends Error {
  override name = "JsonFault";
  readonly code: "invalid_json" | "request_too_large";

  constructor(code: JsonFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** How many values and different names a body may hold. */
export interface JsonBounds {
  readonly values: number;
  readonly names: number;
}

export function tooMany(what: "values" | "different names", limit: number): JsonFault {
  return new JsonFault(
    "request_too_large",
    `The body holds more than ${limit} ${what}, the limit of this route; send less in one request.`,
  );
}
