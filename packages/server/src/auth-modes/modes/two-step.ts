import assert from "node:assert";
import type { ProviderOf, TokenStep } from "@jackfield/catalogue";
import { renderTemplate } from "@jackfield/catalogue";
import {
  type AuthMode,
  type AuthSubject,
  type AuthTools,
  type Credentials,
  type Minted,
  RefreshFailure,
} from "../auth-mode.ts";
import { captureAnswer } from "../code-flow.ts";
import {
  findText,
  readEntryFields,
  refuseUnknown,
  requireType,
  toTestFailure,
} from "../read-credentials.ts";
import { build, runSteps, sendCall } from "../request-token.ts";
import { declaresRevocation } from "../revoke-token.ts";
import { signEntryToken } from "../sign-entry-token.ts";
import { toTemplateValues } from "../template-values.ts";
import { verifyCredentials } from "../verify-credentials.ts";
import { renderAll, renderHeaders, writeCall } from "../write-call.ts";

/** A login call, or several, with what the end user gave; it ends with a token. */
export const twoStep: AuthMode = {
  id: "TWO_STEP",
  fields: {},
  secrets: ["token", "refresh_token", "access_token"],

  async accept(subject, given, tools) {
    requireType(given, "TWO_STEP");
    refuseUnknown(subject, given, []);
    const fields = readEntryFields(subject, given, []);
    const minted = await login(subject, fields, tools).catch(toTestFailure);
    await verifyCredentials(twoStep, subject, minted.credentials, tools);
    return minted;
  },

  /** By the refresh token where there is one, and by another login where there is none or it is refused. */
  async refresh(subject, credentials, tools) {
    const { refresh } = narrow(subject);
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
      if (!(error instanceof RefreshFailure) || error.kind !== "revoked") throw error;
      return await login(subject, fields, tools);
    }
  },

  canRevoke: declaresRevocation,

  async revoke(subject, credentials, tools) {
    const { revocation } = narrow(subject);
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
};

function narrow({ provider }: AuthSubject): ProviderOf<"TWO_STEP"> {
  assert(provider.auth_mode === "TWO_STEP");
  return provider;
}

type Fields = Readonly<Record<string, string>>;

async function login(subject: AuthSubject, fields: Fields, tools: AuthTools): Promise<Minted> {
  const steps = narrow(subject).login;
  return await run(subject, { steps, fields, refreshToken: undefined }, tools);
}

async function run(
  subject: AuthSubject,
  {
    steps,
    fields,
    refreshToken,
  }: { steps: readonly TokenStep[]; fields: Fields; refreshToken: string | undefined },
  tools: AuthTools,
): Promise<Minted> {
  const { signed_assertion: rules, token_errors: errors, capture } = narrow(subject);
  const given: Credentials = { type: "TWO_STEP", ...fields };
  const known = refreshToken === undefined ? given : { ...given, refresh_token: refreshToken };
  const values = { ...toTemplateValues(subject, known), now: tools.now };
  const sign = (now: Date) =>
    rules && { assertion: signEntryToken(subject, rules, given, now).token };
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
