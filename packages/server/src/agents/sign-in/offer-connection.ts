import { randomUUID } from "node:crypto";
import { addMs, type EnvironmentContext, MINUTE } from "#foundation";
import type { ServedSession } from "../sessions/session.ts";
import { PROOF_LIFE_MS } from "./prove.ts";
import { findOffer, findSignIn, insertAuthorization } from "./store.ts";

/** An address that is offered again has at least so long. */
const LEAST_LEFT_MS = 2 * MINUTE;

/**
 * An address at which the end user connects an account, without a credential in it: its visitor has to prove who they
 * are first. Undefined where nothing in the environment can tell that.
 */
export async function offerConnection(
  ctx: EnvironmentContext,
  { id: sessionId, endUserId }: Pick<ServedSession, "id" | "endUserId">,
  { integration, connectionId }: { integration: string; connectionId: string | undefined },
): Promise<string | undefined> {
  if ((await findSignIn(ctx.db, ctx.environment.id)) === undefined) return undefined;
  const now = ctx.clock.now();
  const wanted = { sessionId, integration, connectionId: connectionId ?? null };
  const open = await findOffer(ctx.db, ctx.environment.id, {
    ...{ ...wanted, until: addMs(now, LEAST_LEFT_MS) },
  });
  const id = open ?? randomUUID();
  if (open === undefined) {
    await insertAuthorization(ctx.db, ctx.environment.id, {
      ...{ id, ...wanted, purpose: "connect", interaction: null, browserHash: null },
      ...{
        approvalId: null,
        wantedEndUserId: endUserId,
        now,
        expiresAt: addMs(now, PROOF_LIFE_MS),
      },
    });
  }
  return `${ctx.settings.serverUrl}/connect/agent/${id}`;
}
