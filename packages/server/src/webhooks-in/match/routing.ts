import { type HmacRouting, hmacRouter } from "../routers/hmac.ts";
import { plain } from "../routers/plain.ts";
import { routers } from "./all-routers.ts";
import type { Router } from "./router.ts";

/** How the webhooks of an integration are read. Can be sent to a thread. */
export type Routing = ProviderRouting & {
  /** What the integration adds to its provider's router. */
  readonly rules?: WebhookRules | undefined;
  /** The operator's word for `svc` in names (SVC_COMPAT_PREFIX). */
  readonly word?: string | undefined;
};

/** By a router's name, or as the provider's entry describes it; `plain` where neither is known. */
export type ProviderRouting =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "hmac"; readonly hmac: HmacRouting }
  | { readonly kind: "plain" };

/** Where any event of an integration names its type, its id and its connection; as in an entry's `hmac`. */
export type WebhookRules = Pick<HmacRouting, "type" | "event_id" | "match">;

// Kept with its key: made of the rules alone.
const described = new WeakMap<HmacRouting, Router>();

/** The router; one that verifies and matches nothing where none is known. */
export function routerOf(routing: ProviderRouting): Router {
  if (routing.kind === "plain") return plain;
  if (routing.kind === "named") {
    return (Object.hasOwn(routers, routing.name) && routers[routing.name]) || plain;
  }
  const known = described.get(routing.hmac);
  if (known !== undefined) return known;
  const router = hmacRouter(routing.hmac);
  described.set(routing.hmac, router);
  return router;
}
