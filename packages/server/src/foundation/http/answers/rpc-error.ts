/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

/** A refusal as callers that speak JSON-RPC read it; the code that we publish is in `data`. */
export function toRpcError(
  status: number,
  { error }: { readonly error: Readonly<Record<string, unknown>> },
  request: { readonly body: unknown },
) {
  const { message, ...data } = error;
  const id: unknown = Object(request.body).id;
  const isUnparsed = data["code"] === "invalid_json" || data["code"] === "invalid_body";
  const refused = isUnparsed && request.body === undefined ? PARSE_ERROR : INVALID_REQUEST;
  return {
    jsonrpc: "2.0",
    id: typeof id === "string" || typeof id === "number" ? id : null,
    error: { code: status >= 500 ? INTERNAL_ERROR : refused, message, data },
  };
}
