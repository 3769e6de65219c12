import { AppError, type SystemContext } from "#foundation";
import { isToolsetId, resourceMetadataUrl } from "../oauth/resource.ts";

/** The refusal of a caller without a token that counts, with where it may get one (RFC 9728, section 5.1). */
export function withChallenge(
  { settings, log }: Pick<SystemContext, "settings" | "log">,
  error: unknown,
  params: unknown,
): unknown {
  if (!(error instanceof AppError) || error.status !== 401) return error;
  const toolset = String(Object(params).toolset).toLowerCase();
  if (error.code === "unknown_agent_token")
    log.warn("agents.refused", { code: error.code, toolset });
  const failure = error.code === "unknown_agent_token" ? ', error="invalid_token"' : "";
  const metadata = isToolsetId(toolset)
    ? `, resource_metadata="${resourceMetadataUrl(settings, toolset)}"`
    : "";
  const challenge = `Bearer realm="jackfield"${failure}${metadata}`;
  const { message, details, headers, cause } = error;
  return new AppError(error.code, message, {
    ...(details === undefined ? {} : { details }),
    ...{ headers: { ...headers, "WWW-Authenticate": challenge }, cause },
  });
}
