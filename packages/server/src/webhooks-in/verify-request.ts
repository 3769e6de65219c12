import { AppError } from "#platform";
import {
  type InboundRequest,
  type ProofTools,
  type Router,
  UnreadableWebhook,
  type WebhookKeys,
} from "./router.ts";

export interface Verifying {
  readonly router: Router;
  /** As received. */
  readonly request: InboundRequest;
  /** Without its content coding; senders sign the one or the other. */
  readonly decoded: InboundRequest;
  readonly keys: WebhookKeys;
  readonly tools: ProofTools;
  readonly allowUnsigned: boolean;
}

/** Whether the request is proven to be the provider's; throws 401 where it ought to be and is not. */
export async function verifyRequest(verifying: Verifying): Promise<boolean> {
  const { router, request, decoded, keys, allowUnsigned } = verifying;
  const { proof } = router;
  if (proof === undefined) return false;
  const isSigned = proof.isSigned(decoded);
  const secret =
    proof.secret(keys, decoded) ?? (proof.keyless === true && isSigned ? "" : undefined);
  if (secret === undefined) {
    if (proof.required !== true || allowUnsigned) return false;
    throw new AppError("webhook_invalid_secret");
  }
  if (!isSigned) {
    if (allowUnsigned || router.isUnsigned?.(decoded) === true) return false;
    throw new AppError("webhook_missing_signature");
  }
  if (await isGenuine(verifying, request, secret)) return true;
  if (decoded !== request && (await isGenuine(verifying, decoded, secret))) return true;
  throw new AppError("webhook_invalid_signature");
}

/** What a verification cannot cope with is no proof. */
async function isGenuine(
  { router, tools }: Verifying,
  request: InboundRequest,
  secret: string,
): Promise<boolean> {
  try {
    return (await router.proof?.isGenuine(request, secret, tools)) === true;
  } catch {
    return false;
  }
}

/** Runs what reads a body; what the body lacks is told as 400. */
export async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableWebhook)) throw error;
    throw new AppError("webhook_invalid_payload", `The webhook was refused: ${error.message}.`);
  }
}
