import { AppError, type SystemContext } from "#foundation";
import { openFlowSecrets } from "../flow-secrets.ts";
import { findOpenFlow, toParameters } from "./find-flow.ts";
import { staleState } from "./finish-authorization.ts";

const LONGEST_QUERY = 8192;

/**
 * Where a browser goes that a provider had post its answer: the same address with the answer as query.
 * The browser sends the flow's cookie there, which it keeps back in a post from another site. Only for
 * attempts that asked for a posted answer.
 */
export async function forwardPostedCallback(ctx: SystemContext, body: unknown): Promise<string> {
  const parameters = toParameters(body);
  const flow = await findOpenFlow(ctx, parameters);
  const isPosted = flow !== undefined && (await openFlowSecrets(ctx, flow)).isPosted;
  const query = new URLSearchParams(parameters).toString();
  if (!isPosted || query.length > LONGEST_QUERY) {
    throw new AppError("invalid_request", staleState.message);
  }
  return `?${query}`;
}
