import { isUtf8 } from "node:buffer";
import { type Credentials, hideCallSecrets } from "#auth-modes";
import { AppError } from "#foundation";
import type { ProviderCall } from "../call.ts";

interface WholeAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

interface HeadersOfCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly hidesCredentials?: boolean;
}

/** The codings that an answer can be searched through; a caller's own wish may ask for another. */
const SEARCHABLE = "gzip, deflate, br, zstd";

/** The headers of a call whose answer is to be searched for its credentials: whole, and in a coding that is known. */
export function toSearchable({
  headers,
  hidesCredentials = false,
}: HeadersOfCall): Readonly<Record<string, string>> {
  if (!hidesCredentials) return headers;
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?:svc-proxy-)?(?:accept-encoding|range|if-range)$/i.test(name),
  );
  return { ...Object.fromEntries(kept), "accept-encoding": SEARCHABLE };
}

/**
 * The answer without the credentials that its call was made with, in the forms in which providers repeat what they were
 * sent: as text, percent-encoded, in JSON, as hex and base64. Throws credentials_withheld for a coding that hides them.
 */
export function hideCredentials(
  answer: WholeAnswer,
  { mode, subject }: Pick<ProviderCall, "mode" | "subject">,
  used: ReadonlySet<Credentials>,
): WholeAnswer {
  const coding = [answer.headers["content-encoding"] ?? "identity"].flat().join(",");
  if (coding.trim().toLowerCase() !== "identity") {
    const message = "The provider's answer is encoded so that no credentials can be found in it.";
    throw new AppError("credentials_withheld", message);
  }
  const calls = [...used].map((given) => ({ mode, subject, given }));
  const hide = (text: string) => hideCallSecrets(text, calls);
  const encoding = isUtf8(answer.body) ? "utf8" : "latin1";
  const text = answer.body.toString(encoding);
  const hidden = hide(text);
  const headers = Object.entries(answer.headers).map(
    ([name, value]): [string, string | string[]] => [
      name,
      typeof value === "string" ? hide(value) : value.map(hide),
    ],
  );
  return {
    status: answer.status,
    statusText: hide(answer.statusText),
    headers: Object.fromEntries(headers),
    body: hidden === text ? answer.body : Buffer.from(hidden, encoding),
  };
}
