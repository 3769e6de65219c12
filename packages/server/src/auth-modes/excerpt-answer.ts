import { isSecretName } from "@jackfield/contract/secret-names";
import type { EgressRequest, EgressResponse } from "#platform/egress";
import { parseTokenAnswer } from "./token-answer.ts";

const LONGEST = 500;
const HIDDEN = "[hidden]";

/** The start of an answer that led to nothing, without what is or may be secret; at most 500 characters. */
export function excerptAnswer(request: EgressRequest, response: EgressResponse): string {
  const fields = parseTokenAnswer(response.body);
  const text =
    fields === undefined ? readText(response) : describeFields(fields, response.status < 300);
  const shown = hideTokens(hideSent(text, request));
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST - 1)}…` : shown;
}

/** Fields that tell what went wrong; any other text of a success may be what was asked for. */
const telling =
  /^(error|errors|code|status|message|msg|detail|details|reason|title|type|ok|success)$/i;
const tellingStart = /^(error|status|message)_/i;

function describeFields(fields: object, isSuccess: boolean): string {
  return JSON.stringify(fields, (name, value: unknown) => {
    const isFilled = typeof value === "object" ? value !== null : value !== "";
    if (isSecretName(name) && isFilled) return HIDDEN;
    if (!isSuccess || typeof value !== "string" || /^\d*$/.test(name)) return value;
    return telling.test(name) || tellingStart.test(name) ? value : HIDDEN;
  });
}

/** A page loses its markup; the whole body of a success may be a token. */
function readText({ status, body }: EgressResponse): string {
  const text = body.toString("utf8").trim();
  if (status < 300) return text === "" ? "" : `[${body.length} bytes]`;
  if (!text.startsWith("<")) return text.replace(/\s+/g, " ");
  return text
    .slice(0, 64 * 1024)
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]{0,4096}>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const plainParameters =
  /^(grant_type|client_id|redirect_uri|response_type|scope|audience|resource)$/;
const plainHeaders = /^(accept|content-type|user-agent)$/;
// Shorter ones stand in ordinary words; those of the forms are hidden by hide-secrets.ts.
const SHORTEST_SENT = 16;

/** Providers echo what they were sent. */
function hideSent(text: string, { url, headers, body }: EgressRequest): string {
  const parameters = [
    ...(URL.parse(url)?.searchParams ?? []),
    ...Object.entries(parseTokenAnswer(Buffer.from(body ?? "")) ?? {}),
  ].flatMap(([name, value]) => (plainParameters.test(name) ? [] : [String(value)]));
  const words = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    plainHeaders.test(name) ? [] : String(value).split(/[\s,;="]+/),
  );
  return [...parameters, ...words]
    .filter((value) => value.length >= SHORTEST_SENT)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Long words of letters and digits are what tokens look like; trace ids are asked for by support. */
function hideTokens(text: string): string {
  return text.replace(/[A-Za-z0-9_+=~-]{20,}/g, (word) =>
    /\d/.test(word) && /[A-Za-z]/.test(word) && !uuid.test(word) ? HIDDEN : word,
  );
}
