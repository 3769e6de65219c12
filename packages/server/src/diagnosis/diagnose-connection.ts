import { findBaseUrl } from "#auth-modes";
import type { ConnectionForCall } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { findProviderOf, toAuthSubject } from "#integrations";
import { describeInbox } from "#webhooks-in";
import { findFailingReceivers } from "#webhooks-out";
import { type Diagnosis, type Finding, present, toDiagnosis } from "./check.ts";
import { checkAddress } from "./check-address.ts";
import { checkScopes, checkTestRequest, checkToken } from "./check-token.ts";

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

/** Whether webhooks of the provider arrive, as far as any are expected. */
async function checkInbox(ctx: EnvironmentContext, integration: Integration): Promise<Finding> {
  const { isRouted, last } = await describeInbox(ctx, integration);
  if (last === undefined) {
    const message = "No webhook of this integration has arrived within the time they are kept.";
    const nextStep = `If you use webhooks, register the integration's \`webhook_url\` at the provider: \`GET /integrations/${integration.uniqueKey}?include=webhook\`.`;
    return isRouted
      ? { check: "webhook_in", status: "skipped", message, nextStep }
      : { check: "webhook_in", status: "skipped", message };
  }
  const at = last.receivedAt.toISOString();
  if (last.state === "failed") {
    return {
      check: "webhook_in",
      status: "warning",
      message: `The last webhook, of ${at}, could not be handled: ${last.error ?? "no reason was noted"}.`,
      nextStep: `Read it with \`GET /webhooks/inbox/${last.id}\`, and handle it again with \`POST /webhooks/inbox/${last.id}/replay\`.`,
    };
  }
  return {
    check: "webhook_in",
    status: "ok",
    message: `The last webhook arrived at ${at}.`,
  };
}

/** Whether the environment's endpoints, or the connection's own, accept webhooks. */
async function checkReceivers(
  ctx: EnvironmentContext,
  overrideUrl: string | undefined,
): Promise<Finding> {
  const failing = await findFailingReceivers(ctx);
  const own = failing.filter(({ url }) => overrideUrl === undefined || url === overrideUrl);
  const [first] = own;
  if (first === undefined) {
    return { check: "webhook_out", status: "ok", message: "None of your endpoints fails." };
  }
  const since = first.failingSince.toISOString();
  const isHeld = first.disabledAt !== null;
  return {
    check: "webhook_out",
    status: "warning",
    message: `${first.url} has accepted no webhook since ${since}${isHeld ? "; its webhooks are held" : ""}.`,
    nextStep: isHeld
      ? "Correct the endpoint, then call `POST /webhooks/receivers/enable`."
      : "Read what it answered with `GET /webhooks/deliveries?state=waiting`.",
  };
}
