/** Messages between tabs and the holder of their stream. */

/** What a tab wants to hear of; a later wish takes the place of an earlier one. */
export interface Wish {
  readonly environment: string;
  readonly topics: readonly string[];
  /** Address of the API. */
  readonly api: string;
  /** Token of the session; it changes when somebody signs in again. */
  readonly csrf: string;
}

export type StreamState = "opening" | "open" | "away" | "refused";

export type StreamNotice =
  | { readonly kind: "changed"; readonly environment: string; readonly topic: string }
  | { readonly kind: "state"; readonly environment: string; readonly state: StreamState };

export type TabMessage =
  | { readonly kind: "wish"; readonly wish: Wish }
  | { readonly kind: "leave" };

/** Of a value from another context, which may run another version of this page. */
export function isTabMessage(value: unknown): value is TabMessage {
  const { kind, wish } = Object(value);
  return kind === "leave" || (kind === "wish" && typeof Object(wish).environment === "string");
}

export function isStreamNotice(value: unknown): value is StreamNotice {
  const { kind, environment } = Object(value);
  return typeof environment === "string" && (kind === "changed" || kind === "state");
}
