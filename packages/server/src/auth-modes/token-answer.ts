import { addMs, SECOND } from "#platform";

/** The fields of a token endpoint's answer, JSON or form (RFC 6749 section 5.1; GitHub sends a form). */
export function parseTokenAnswer(body: Buffer): Record<string, unknown> | undefined {
  const text = body.toString("utf8").trim();
  if (text.startsWith("{")) return parseObject(text);
  // A form has no markup and no spaces; an HTML page of a broken server has both.
  if (text === "" || !/^[^\s<>=&]+=[^\s<>]*$/.test(text)) return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

// Text that starts with { parses to an object or not at all.
function asRecord(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/**
 * When the token expires: `expires_in` in seconds, as number or text; servers also send an absolute time there or
 * in `expires_at`. Undefined when the answer does not say.
 */
export function readExpiry(answer: Record<string, unknown>, now: Date): Date | undefined {
  return toExpiry(answer["expires_in"], now) ?? toExpiry(answer["expires_at"], now);
}

function toExpiry(value: unknown, now: Date): Date | undefined {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) return toDate(Date.parse(value));
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number === 0) return undefined;
  if (number < 0) return now;
  if (number > EPOCH_MS) return toDate(number);
  if (number > EPOCH_SECONDS) return toDate(number * SECOND);
  return addMs(now, number * SECOND);
}

function toDate(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A value at a dotted path, as the text that connection_config holds. */
export function readCaptured(answer: Record<string, unknown>, path: string): string | undefined {
  let value: unknown = answer;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  const simple =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return simple ? String(value) : undefined;
}
