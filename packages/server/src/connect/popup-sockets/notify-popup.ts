import type { SystemContext } from "#foundation";
import { notifyDue } from "#tasks";
import type { EndedConnection } from "../ending.ts";
import type { SessionError } from "../session.ts";
import { isClientId } from "./client-id.ts";
import { insertPopup, type PopupMessage, storeMessage } from "./store.ts";

/** Under which name the sockets' processes hear of their clients. */
export const POPUPS = "connect-popups";

export type PopupEnding =
  | { readonly made: EndedConnection }
  | {
      readonly error: SessionError;
      readonly providerConfigKey?: string | undefined;
      readonly connectionId?: string | undefined;
    };

/** Lets the socket of this client stay open for as long as an attempt may take. Ids of others are ignored. */
export async function notePopup(ctx: SystemContext, clientId: string | undefined): Promise<void> {
  if (clientId === undefined || !(await isClientId(ctx, clientId))) return;
  await insertPopup(ctx.db, clientId, ctx.clock.now());
  await notifyDue(ctx, `${POPUPS} ${clientId}`);
}

/**
 * Tells the client that opened the popup how the attempt ended, in whichever process its socket is, when the caller's
 * transaction commits. Ids that are not ours are ignored.
 */
export async function notifyPopup(
  ctx: SystemContext,
  clientId: string | undefined,
  ending: PopupEnding,
): Promise<void> {
  if (clientId === undefined || !(await isClientId(ctx, clientId))) return;
  await storeMessage(ctx.db, clientId, toMessage(ending), ctx.clock.now());
  await notifyDue(ctx, `${POPUPS} ${clientId}`);
}

function toMessage(ending: PopupEnding): PopupMessage {
  if ("made" in ending) {
    const { providerConfigKey, connectionId, isPending } = ending.made;
    return {
      message_type: "success",
      provider_config_key: providerConfigKey,
      connection_id: connectionId,
      is_pending: isPending,
    };
  }
  const { error, providerConfigKey, connectionId } = ending;
  return {
    message_type: "error",
    ...(providerConfigKey === undefined ? {} : { provider_config_key: providerConfigKey }),
    ...(connectionId === undefined ? {} : { connection_id: connectionId }),
    error_type: error.type,
    error_desc: error.message,
  };
}
