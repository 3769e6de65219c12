import type { RunChange } from "#slice";

/** The first call of an action that changes something, as a person sees it. */
export interface ShownRequest {
  readonly call: string;
  readonly method: string | null;
  readonly url: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly body: string | null;
  readonly body_bytes: number;
}

/** Its query as `name=value`, without the encoding of addresses. */
export function queryOf({ details }: Pick<ShownRequest, "details">): string[] {
  const { query } = details;
  if (!Array.isArray(query)) return [];
  return query.map((pair) => (Array.isArray(pair) ? pair.join("=") : JSON.stringify(pair)));
}

const LONGEST_BODY = 20_000;
const LONGEST_URL = 2000;
const MOST_DETAIL_BYTES = 64 * 1024;
/** Headers that hold nothing but a credential. */
const secretHeaders = /authorization|cookie|api-?key|token|secret/i;

export function toShownRequest(
  { method: call, params, body }: RunChange,
  hide: <Value>(value: Value) => Value,
): ShownRequest {
  const { method, endpoint, url, headers, ...details } = hide<Record<string, unknown>>({
    ...Object(params),
  });
  const isRequest = call === "proxy" || call === "fetch" || call === "mcp";
  const address = endpoint ?? url;
  const shown = isRequest
    ? { ...details, headers: withoutSecrets(headers) }
    : { ...details, ...(method !== undefined && { method }) };
  return {
    call,
    method: isRequest ? String(method).toUpperCase().slice(0, 20) : null,
    url: isRequest ? String(address).slice(0, LONGEST_URL) : null,
    details: bounded(shown),
    body: hide(textOf(body)),
    body_bytes: body.byteLength,
  };
}

function withoutSecrets(headers: unknown): unknown {
  if (Array.isArray(headers)) return headers.filter(([name]) => !secretHeaders.test(String(name)));
  const entries = Object.entries({ ...Object(headers) });
  return Object.fromEntries(entries.filter(([name]) => !secretHeaders.test(name)));
}

function bounded(details: Record<string, unknown>): Record<string, unknown> {
  const bytes = Buffer.byteLength(JSON.stringify(details));
  return bytes <= MOST_DETAIL_BYTES ? details : { left_out: `${bytes} bytes` };
}

/** Null where the bytes are no text. */
function textOf(body: Uint8Array): string | null {
  if (body.byteLength === 0) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return text.slice(0, LONGEST_BODY);
  } catch {
    return null;
  }
}
