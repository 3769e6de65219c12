import type { TokenStep } from "@jackfield/catalogue";
import { renderTemplate } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderAll, renderHeaders, writeCall } from "../apply/write-call.ts";
import type { AuthMode, AuthTools, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { captureAnswer } from "../obtain/code-flow.ts";
import { build, runSteps, sendCall } from "../obtain/request-token.ts";
import { declaresRevocation } from "../obtain/revoke-token.ts";
import { signEntryToken } from "../proof/sign-entry-token.ts";
import { findText, readEntryFields, refuseUnknown, requireType } from "../read-credentials.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** A login call, or several, with what the end user gave; it ends with a token. */
export const twoStep: AuthMode = defineAuthMode("TWO_STEP", {
  fields: {},
  secrets: ["token", "refresh_token", "access_token"],

  async accept(subject, given, tools) {
    requireType(given, "TWO_STEP");
    refuseUnknown(subject, given, []);
    const fields = readEntryFields(subject, given, []);
    const minted = await login(subject, fields, tools);
    await verifyCredentials(twoStep, subject, minted.credentials, tools);
    return minted;
  },

  /** By the refresh token where there is one, and by another login where there is none or it is refused. */
  async refresh(subject, credentials, tools) {
    const { refresh } = subject.provider;
    const names = Object.keys(subject.provider.credentials);
    const fields = Object.fromEntries(
      names.flatMap((name) => {
        const value = findText(credentials, name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const refreshToken = findText(credentials, "refresh_token");
    if (refresh === undefined || refreshToken === undefined) {
      return await login(subject, fields, tools);
    }
    try {
      return await run(subject, { steps: [refresh], fields, refreshToken }, tools);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind !== "revoked") throw error;
      return await login(subject, fields, tools);
    }
  },

  canRevoke: declaresRevocation,

  async revoke(subject, credentials, tools) {
    const { revocation } = subject.provider;
    if (revocation === undefined) return;
    const values = { ...toTemplateValues(subject, credentials), now: tools.now };
    const call = build(() =>
      writeCall({
        method: revocation.method,
        url: renderTemplate(revocation.url, values),
        format: revocation.body_format,
        headers: renderHeaders(revocation.headers, values),
        fields: renderAll(revocation.params, values),
      }),
    );
    await sendCall(call, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
});

type Fields = Readonly<Record<string, string>>;

async function login(
  subject: SubjectOf<"TWO_STEP">,
  fields: Fields,
  tools: AuthTools,
): Promise<Minted> {
  const steps = subject.provider.login;
  return await run(subject, { steps, fields, refreshToken: undefined }, tools);
}

async function run(
  subject: SubjectOf<"TWO_STEP">,
  {
    steps,
    fields,
    refreshToken,
  }: { steps: readonly TokenStep[]; fields: Fields; refreshToken: string | undefined },
  tools: AuthTools,
): Promise<Minted> {
  const { signed_assertion: rules, token_errors: errors, capture } = subject.provider;
  const given: Credentials = { type: "TWO_STEP", ...fields };
  const known = refreshToken === undefined ? given : { ...given, refresh_token: refreshToken };
  const values = { ...toTemplateValues(subject, known), now: tools.now };
  const sign = async (now: Date) =>
    rules && { assertion: (await signEntryToken(subject, rules, given, now)).token };
  const granted = await runSteps({ steps, values, errors, sign }, tools);
  const { accessToken, expiresAt, raw } = granted;
  const nextRefreshToken = granted.refreshToken ?? refreshToken;
  return {
    credentials: {
      type: "TWO_STEP",
      ...fields,
      token: accessToken,
      ...(nextRefreshToken === undefined ? {} : { refresh_token: nextRefreshToken }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      raw,
    },
    expiresAt,
    issuedAt: tools.now,
    capturedConfig: captureAnswer(capture.token, granted),
  };
}
