import { findBaseUrl } from "#auth-modes";
import type { ConnectionForCall } from "#connections";
import { findProviderOf, toAuthSubject } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { type Diagnosis, type Finding, present, toDiagnosis } from "./check.ts";
import { checkAddress } from "./check-address.ts";
import { checkScopes, checkTestRequest, checkToken } from "./check-token.ts";
import { checkInbox, checkReceivers } from "./check-webhooks.ts";

/** Tries each part of the way to a connection's provider; throws for nothing that it finds. */
export async function diagnoseConnection(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
): Promise<Diagnosis> {
  const checks: Diagnosis["checks"][number][] = [];
  const note = async <Found extends Finding | readonly Finding[]>(work: Promise<Found>) => {
    const startedAt = performance.now();
    const found = await work;
    const durationMs = performance.now() - startedAt;
    for (const finding of [found].flat() as Finding[]) checks.push(present(finding, durationMs));
    return found;
  };
  const url = await findUrl(ctx, { integration, connection });
  if (url === undefined) await note(Promise.resolve(noAddress()));
  else await note(checkAddress(ctx, integration, url));
  const token = checkToken(ctx, { connection, integration, force: false });
  await note(token.then(({ finding }) => finding));
  const { fresh } = await token;
  if (fresh === undefined) await note(Promise.resolve([skip("scopes"), skip("test_request")]));
  else {
    await note(checkScopes(ctx, integration, fresh));
    await note(checkTestRequest(ctx, integration, fresh));
  }
  await note(checkInbox(ctx, integration));
  await note(checkReceivers(ctx, connection.webhookUrlOverride));
  return toDiagnosis(checks, url === undefined ? null : new URL(url).host);
}

async function findUrl(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
): Promise<string | undefined> {
  if (findProviderOf(integration) === undefined) return undefined;
  try {
    const url = findBaseUrl(await toAuthSubject(ctx, integration, connection.connectionConfig));
    return url !== undefined && URL.canParse(url) ? url : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function noAddress(): readonly Finding[] {
  const message = "The address of the provider's API is not known from the configuration.";
  return [{ check: "dns", status: "skipped", message }, skip("tls"), skip("reachable")];
}

function skip(check: Finding["check"]): Finding {
  return { check, status: "skipped", message: "It needs what an earlier check did not find." };
}
