import type { RetryHints } from "@jackfield/catalogue";
import type { AuthMode, AuthSubject } from "#auth-modes";
import type { Connection } from "#connections";
import type { Integration } from "#integrations";
import type { RunEgress } from "#slice";
import type { RetryWish } from "./exchange/retry-policy.ts";
import type { RequestBody } from "./request/request-body.ts";

/** How a call meets a quota that is used up. */
export type Patience =
  /** It goes out all the same. */
  | { readonly kind: "none" }
  /** It waits up to that long, and is refused with 429 when that is not enough. */
  | { readonly kind: "bounded"; readonly waitMs: number }
  /** A function's: waits behind interactive calls, and goes out in the end. */
  | { readonly kind: "background" };

/** One call to a provider, before it is made. */
export interface ProviderCall extends RetryWish {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly subject: AuthSubject;
  /** How the credentials get into the call. */
  readonly mode: AuthMode;
  readonly method: string;
  /** Address below which the path lies. */
  readonly baseUrl: string;
  /** Path and query as received. */
  readonly path: string;
  /** Name and value in turn, as received. */
  readonly headers: readonly string[];
  readonly body: RequestBody;
  /** Headers for a call in which neither the caller nor the entry sends one of that name. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly patience: Patience;
  /** Whether a 401 renews the credentials once and sends the call again, beyond what `retries` asks for. */
  readonly renewsRefused?: boolean;
  /** What tells how long to wait, where the caller says it; the entry's own otherwise. */
  readonly retryHeader?: Pick<RetryHints, "at_header" | "after_header" | "remaining_header">;
  /** Up to 5, with credentials only for the same origin. */
  readonly followRedirects: boolean;
  /** Whether the caller's own headers go along to another origin. */
  readonly forwardHeaders?: boolean;
  /** What the caller may send where; each address of the call passes it, redirects included. */
  readonly egress?: RunEgress | undefined;
}

/** How a call ended: with an answer, or with the error that the caller got instead. */
export type CallEnd = { readonly status: number } | { readonly error: unknown };
