import {
  type InboundRequest,
  type ProofTools,
  type Router,
  UnreadableWebhook,
  type WebhookKeys,
} from "../match/router.ts";

export interface Proving {
  readonly router: Router;
  /** As received. */
  readonly request: InboundRequest;
  /** Without its content coding; senders sign the one or the other. */
  readonly decoded: InboundRequest;
  readonly keys: WebhookKeys;
  readonly tools: ProofTools;
  readonly allowUnsigned: boolean;
}

export type Refusal =
  | "webhook_invalid_secret"
  | "webhook_missing_signature"
  | "webhook_invalid_signature";

/** `no_secret`: the provider signs, and nothing is set to verify it with. */
export type Proven = "verified" | "unverified" | "no_secret";

/** Whether the request is proven to be the provider's, or why it is refused: it ought to be, and is not. */
export async function proveRequest(proving: Proving): Promise<Proven | Refusal> {
  const { router, request, decoded, keys, allowUnsigned } = proving;
  const { proof } = router;
  if (proof === undefined) return "unverified";
  const own = unlessEmpty(decoded, () => proof.secret(keys, decoded));
  const mayPass = proof.required !== true || allowUnsigned;
  // Whether a request is signed may stand in a body that nothing could prove: it is not read for it.
  if (own === undefined && proof.keyless !== true) {
    return mayPass ? "no_secret" : "webhook_invalid_secret";
  }
  const isSigned = unlessEmpty(decoded, () => proof.isSigned(decoded)) === true;
  const secret = own ?? (isSigned ? "" : undefined);
  if (secret === undefined) return mayPass ? "no_secret" : "webhook_invalid_secret";
  if (!isSigned) {
    const mayBe =
      allowUnsigned || unlessEmpty(decoded, () => router.isUnsigned?.(decoded)) === true;
    return mayBe ? "unverified" : "webhook_missing_signature";
  }
  if (await isGenuine(proving, request, secret)) return "verified";
  if (decoded !== request && (await isGenuine(proving, decoded, secret))) return "verified";
  return "webhook_invalid_signature";
}

/** What proves the sender may stand in a body: there is none of it where there is no body. */
function unlessEmpty<Found>({ body }: InboundRequest, find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (body.byteLength === 0 && error instanceof UnreadableWebhook) return undefined;
    throw error;
  }
}

/** What a verification cannot cope with is no proof. */
async function isGenuine(
  { router, tools }: Proving,
  request: InboundRequest,
  secret: string,
): Promise<boolean> {
  try {
    return (await router.proof?.isGenuine(request, secret, tools)) === true;
  } catch {
    return false;
  }
}
