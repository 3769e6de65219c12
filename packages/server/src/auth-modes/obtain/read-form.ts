import { AppError } from "#foundation";
import type { FinalRequest } from "../auth-mode.ts";

export function isForm(contentType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

/** The body where it is a form; throws request_too_large when it is only passed through. */
export function readForm({ headers, body }: FinalRequest): string | undefined {
  if (body.kind === "none" || !isForm(headers.get("content-type") ?? "")) return undefined;
  if (body.kind === "bytes") return Buffer.from(body.bytes).toString("utf8");
  throw new AppError(
    "request_too_large",
    "The signature of this provider covers forms, and this one is too large to be signed; send it as another type or in parts.",
  );
}
