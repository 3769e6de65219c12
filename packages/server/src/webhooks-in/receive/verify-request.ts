import { AppError } from "#foundation";
import { UnreadableWebhook } from "../match/router.ts";
import { type Proving, proveRequest } from "../reading/prove-request.ts";

/** Whether the request is proven to be the provider's; throws 401 where it ought to be and is not. */
export async function verifyRequest(proving: Proving): Promise<boolean> {
  const proven = await proveRequest(proving);
  if (proven === "verified") return true;
  if (proven === "unverified" || proven === "no_secret") return false;
  throw new AppError(proven);
}

/** Runs what reads a body; what the body lacks is reported as 400. */
export async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableWebhook)) throw error;
    throw new AppError("webhook_invalid_payload", `The webhook was refused: ${error.message}.`);
  }
}
