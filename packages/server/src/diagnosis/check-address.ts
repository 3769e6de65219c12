import { type AppError, type EnvironmentContext, SECOND } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { egressOf, type Integration } from "#integrations";
import { type Finding, failed } from "./check.ts";

const PATIENCE_MS = 10 * SECOND;
const MOST_BYTES = 1024 * 1024;

/** Whether the provider's host has an address, a certificate that holds, and an HTTP server: by one request. */
export async function checkAddress(
  ctx: EnvironmentContext,
  integration: Integration,
  url: string,
): Promise<readonly Finding[]> {
  const { host, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  const withoutTls: Finding = {
    check: "tls",
    status: "skipped",
    message: `${host} is called without TLS.`,
  };
  const secured: Finding = isSecure
    ? { check: "tls", status: "ok", message: `The certificate of ${host} holds.` }
    : withoutTls;
  const found: Finding = { check: "dns", status: "ok", message: `${host} has an address.` };
  try {
    const status = await ask(ctx, integration, url);
    const message = `${host} answers: HTTP ${status}.`;
    return [found, secured, { check: "reachable", status: "ok", message }];
  } catch (thrown) {
    const error = toUpstreamError(thrown, host);
    return failedAt(error, { host, found, withoutTls, isSecure });
  }
}

async function ask(
  ctx: EnvironmentContext,
  integration: Integration,
  url: string,
): Promise<number> {
  const { status } = await egressOf(ctx, integration).request({
    ...{ method: "HEAD", url: new URL("/", url).href, timeoutMs: PATIENCE_MS },
    ...{ maxResponseBytes: MOST_BYTES, signal: ctx.signal },
  });
  return status;
}

function failedAt(
  error: AppError,
  {
    host,
    found,
    withoutTls,
    isSecure,
  }: { host: string; found: Finding; withoutTls: Finding; isSecure: boolean },
): readonly Finding[] {
  const skipped = (check: "tls" | "reachable"): Finding => {
    return { check, status: "skipped", message: "An earlier check failed." };
  };
  const after = isSecure ? skipped("tls") : withoutTls;
  if (error.code === "upstream_dns_error") {
    const cure = `Check the connection's configuration for a misspelt host: ${host}. If it is right, check the server's DNS.`;
    return [failed("dns", error, cure), after, skipped("reachable")];
  }
  if (error.code === "destination_not_allowed") {
    const cure = "If this address is meant, the operator opens it with SVC_EGRESS_ALLOW.";
    return [failed("dns", error, cure), after, skipped("reachable")];
  }
  if (error.code === "upstream_tls_error") {
    const cure =
      "Ask who runs the host to renew its certificate; for an authority of your own set SVC_EGRESS_CA_FILE.";
    return [found, failed("tls", error, cure), skipped("reachable")];
  }
  const cure = "Try again later, and look at the provider's status page.";
  return [found, isSecure ? skipped("tls") : withoutTls, failed("reachable", error, cure)];
}
