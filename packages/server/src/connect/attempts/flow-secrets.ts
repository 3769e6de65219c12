import type { SystemContext } from "#foundation";
import { openJson, sealJson } from "#vault";
import type { OwnClient } from "./begin/wishes.ts";

/** What a flow must remember between redirect and callback; sealed in its row. */
export interface FlowSecrets {
  readonly codeVerifier: string;
  /** What the auth mode itself wants to remember. */
  readonly memory: Readonly<Record<string, string>>;
  readonly browserSecretHash: string;
  readonly redirectUri: string;
  /** The id that the connection will have. */
  readonly connectionId: string;
  readonly connectionConfig: Readonly<Record<string, string>>;
  readonly ownClient?: OwnClient | undefined;
  readonly attemptId?: string | undefined;
  /** The socket's client that awaits the end. */
  readonly clientId?: string | undefined;
  readonly openerOrigin?: string | undefined;
  /** The provider sends the browser back with a posted form. */
  readonly isPosted: boolean;
}

interface FlowName {
  readonly environmentId: string;
  readonly id: string;
}

export async function sealFlowSecrets(
  ctx: SystemContext,
  flow: FlowName,
  secrets: FlowSecrets,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(flow), secrets);
}

export async function openFlowSecrets(
  ctx: SystemContext,
  flow: FlowName & { readonly secrets: Buffer },
): Promise<FlowSecrets> {
  return asFlowSecrets(await openJson(ctx, aadOf(flow), flow.secrets));
}

function aadOf({ environmentId, id }: FlowName) {
  return { environmentId, table: "authorization_flows", column: "secrets", row: id };
}

// Authenticated encryption: what opens is what sealFlowSecrets was given.
function asFlowSecrets(opened: unknown): FlowSecrets {
  return opened as FlowSecrets;
}
