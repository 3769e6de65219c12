import type { InstallationContext } from "#platform";
import { openJson, sealJson } from "#vault";

/** What a flow must remember between the way out and the way back; sealed in its row. */
export interface FlowSecrets {
  readonly codeVerifier: string;
  readonly browserSecretHash: string;
  /** The id that the connection will have. */
  readonly connectionId: string;
  readonly connectionConfig: Readonly<Record<string, string>>;
}

interface FlowName {
  readonly environmentId: string;
  readonly id: string;
}

export async function sealFlowSecrets(
  ctx: InstallationContext,
  flow: FlowName,
  secrets: FlowSecrets,
): Promise<Buffer> {
  return await sealJson(ctx, placeOf(flow), secrets);
}

export async function openFlowSecrets(
  ctx: InstallationContext,
  flow: FlowName & { readonly secrets: Buffer },
): Promise<FlowSecrets> {
  return asFlowSecrets(await openJson(ctx, placeOf(flow), flow.secrets));
}

function placeOf({ environmentId, id }: FlowName) {
  return { environmentId, table: "authorization_flows", column: "secrets", row: id };
}

// Authenticated encryption: what opens is what sealFlowSecrets was given.
function asFlowSecrets(opened: unknown): FlowSecrets {
  return opened as FlowSecrets;
}
