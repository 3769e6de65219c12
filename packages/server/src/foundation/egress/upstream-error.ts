import { AppError } from "../errors.ts";

const dnsCodes = /^(ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL|EREFUSED|EBADNAME)$/;
const tlsCodes =
  /^(ERR_TLS_.+|ERR_SSL_.+|CERT_.+|CRL_.+|UNABLE_TO_.+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERROR_IN_CERT_.+|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO)$/;
const timeoutCodes = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/** The error that reports a failed call to `host`; an error of ours is returned as it is. */
export function toUpstreamError(error: unknown, host: string): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const reason = { cause: error, ...(code === "" ? {} : { details: [{ code }] }) };
  if (dnsCodes.test(code)) {
    return new AppError(
      "upstream_dns_error",
      `The name ${host} does not resolve (${code}).`,
      reason,
    );
  }
  if (tlsCodes.test(code)) {
    const message = `The TLS connection to ${host} failed (${code}); check the server's certificate.`;
    return new AppError("upstream_tls_error", message, reason);
  }
  if (timeoutCodes.test(code)) {
    return new AppError("upstream_timeout", `${host} did not answer in time.`, reason);
  }
  if (code === "UND_ERR_INVALID_ARG") {
    const message = `The request to ${host} is not valid HTTP: check its path and headers.`;
    return new AppError("invalid_request", message, reason);
  }
  const detail = code === "" ? "" : ` (${code})`;
  return new AppError("upstream_unreachable", `${host} cannot be reached${detail}.`, reason);
}

/** The code of the failure; of several attempts at one name, the first that has one. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return error.errors.map(codeOf).find((code) => code) ?? "";
  return codeOf(error.cause);
}
