import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { toUpstreamError } from "./upstream-error.ts";

const coded = (code: unknown, options?: ErrorOptions) =>
  Object.assign(new Error("failed", options), { code });

test.each([
  ["ENOTFOUND", "upstream_dns_error"],
  ["EAI_AGAIN", "upstream_dns_error"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "upstream_tls_error"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "upstream_tls_error"],
  ["ETIMEDOUT", "upstream_timeout"],
  ["UND_ERR_CONNECT_TIMEOUT", "upstream_timeout"],
  ["UND_ERR_HEADERS_TIMEOUT", "upstream_timeout"],
  ["UND_ERR_BODY_TIMEOUT", "upstream_timeout"],
  ["UND_ERR_INVALID_ARG", "invalid_request"],
  ["ECONNREFUSED", "upstream_unreachable"],
])("%s is reported as %s, with the code", (code, reported) => {
  const error = toUpstreamError(coded(code), "api.example");

  expect(error).toMatchObject({ code: reported, details: [{ code }] });
  expect(error.message).toContain("api.example");
});

test("the code is that of the first cause that has one, or of the first attempt", () => {
  const cause = coded("ENOTFOUND");
  const attempts = new AggregateError([new Error("no code"), coded("ETIMEDOUT"), cause]);

  expect(toUpstreamError(new TypeError("fetch failed", { cause }), "h").code).toBe(
    "upstream_dns_error",
  );
  // A number is no code of a failed call.
  expect(toUpstreamError(coded(7, { cause }), "h").code).toBe("upstream_dns_error");
  expect(toUpstreamError(attempts, "h").code).toBe("upstream_timeout");
});

test("without a code nothing is made up, and an error of ours stays as it is", () => {
  const own = new AppError("destination_not_allowed", "closed");

  expect(toUpstreamError("thrown", "h")).toMatchObject({
    code: "upstream_unreachable",
    message: "h cannot be reached.",
  });
  expect(toUpstreamError("thrown", "h").details).toBeUndefined();
  expect(toUpstreamError(own, "h")).toBe(own);
});
