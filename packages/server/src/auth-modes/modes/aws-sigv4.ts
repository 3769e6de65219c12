import { type ProviderOf, renderOptional, renderRaw, renderTemplate } from "@jackfield/catalogue";
import { AppError } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import { type WrittenCall, writeCall } from "../apply/write-call.ts";
import type { AuthMode, AuthTools, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { build, sendProven } from "../obtain/request-token.ts";
import { parseTokenAnswer, readGrant, readPath } from "../obtain/token-answer.ts";
import { toRefreshFailure } from "../obtain/token-failure.ts";
import { isS3, signSigV4 } from "../proof/sign-sigv4.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";

/** Requests signed with the temporary keys of a role (AWS Signature Version 4, STS AssumeRole). */
export const awsSigV4: AuthMode = defineAuthMode("AWS_SIGV4", {
  fields: {
    role_arn: { title: "Role ARN" },
    region: { title: "Region", optional: true },
  },
  secrets: ["secret_access_key", "session_token", "SecretAccessKey", "SessionToken"],

  async accept(subject, given, tools) {
    requireType(given, "AWS_SIGV4");
    const region = findText(given, "region");
    if (region !== undefined && !/^[a-z0-9-]{1,64}$/.test(region)) {
      throw new AppError("invalid_body", "`region` has lower-case letters, digits and `-`.");
    }
    const role = { roleArn: requireText(given, "role_arn"), region };
    return await assumeRole(subject, role, tools);
  },

  async refresh(subject, credentials, tools) {
    const role = {
      roleArn: findText(credentials, "role_arn") ?? "",
      region: findText(credentials, "region"),
    };
    return await assumeRole(subject, role, tools);
  },

  apply() {},

  readsBody: () => true,

  sign(_subject, credentials, request) {
    const service = findText(credentials, "service") ?? "";
    const { body } = request;
    if (body.kind === "stream" && !isS3(service)) {
      throw new AppError(
        "request_too_large",
        `The signature covers the body, and ${service} takes none that is unsigned; send it in parts.`,
      );
    }
    return signSigV4({
      ...request,
      body:
        body.kind === "stream" ? undefined : body.kind === "bytes" ? body.bytes : new Uint8Array(),
      service,
      region: findText(credentials, "region") ?? "",
      keys: {
        accessKeyId: findText(credentials, "access_key_id") ?? "",
        secretAccessKey: findText(credentials, "secret_access_key") ?? "",
        sessionToken: findText(credentials, "session_token"),
      },
    });
  },
});

interface Role {
  readonly roleArn: string;
  readonly region: string | undefined;
}

async function assumeRole(
  subject: SubjectOf<"AWS_SIGV4">,
  role: Role,
  tools: AuthTools,
): Promise<Minted> {
  const { provider } = subject;
  // The region may be the connection's, which is not in its config before it is accepted.
  const given: Credentials = { type: "AWS_SIGV4", ...(role.region && { region: role.region }) };
  const values = { ...toTemplateValues(subject, given), now: tools.now };
  const { region, service, externalId, url } = build(() => ({
    region: renderTemplate(provider.region, values),
    service: renderTemplate(provider.service, values),
    externalId: provider.sts.external_id && renderOptional(provider.sts.external_id, values),
    url: renderTemplate(provider.sts.url, values),
  }));
  const write = async ({ now }: { now: Date }) =>
    build(() => toAssumeRole(provider, role.roleArn, values, now));
  const response = await sendProven(url, write, tools);
  const answer = parseTokenAnswer(response.body);
  const granted = readGrant(response, answer, shape, tools.now);
  const keys = asKeys(readPath(answer, ROOT));
  if (granted === undefined || keys === undefined || response.status >= 300) {
    throw toRefreshFailure(response, answer, tools.now, { shape, errors: stsErrors });
  }
  const { expiresAt } = granted;
  return {
    credentials: {
      type: "AWS_SIGV4",
      role_arn: role.roleArn,
      region,
      service,
      access_key_id: keys.AccessKeyId,
      secret_access_key: keys.SecretAccessKey,
      session_token: keys.SessionToken,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      ...(externalId === undefined ? {} : { external_id: externalId }),
      raw: answer ?? {},
    },
    expiresAt,
    issuedAt: tools.now,
    capturedConfig: { region, service },
  };
}

const ROOT = "AssumeRoleResponse.AssumeRoleResult.Credentials";

const shape = {
  root: ROOT,
  access_token: ["SessionToken"],
  refresh_token: [],
  expires: ["Expiration"],
  expiry_unit: "auto",
  error: ["Error.Code", "ErrorResponse.Error.Code"],
} satisfies Parameters<typeof readGrant>[2];

const stsErrors = {
  revoked: ["accessdenied", "malformedpolicydocument", "validationerror"],
  misconfigured: ["invalidclienttokenid", "signaturedoesnotmatch", "expiredtoken"],
  transient: ["throttling", "requestlimitexceeded"],
};

function toAssumeRole(
  { sts }: ProviderOf<"AWS_SIGV4">,
  roleArn: string,
  values: ReturnType<typeof toTemplateValues>,
  now: Date,
): WrittenCall {
  const externalId = sts.external_id && renderOptional(sts.external_id, values);
  const call = writeCall({
    method: "POST",
    url: renderTemplate(sts.url, values),
    format: "form",
    headers: {},
    fields: {
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn: roleArn,
      RoleSessionName: "jackfield",
      DurationSeconds: String(sts.duration_s),
      ...(externalId === undefined ? {} : { ExternalId: externalId }),
    },
  });
  const signed = signSigV4({
    method: call.method,
    url: call.url,
    headers: new Map(Object.entries(call.headers)),
    body: Buffer.from(call.body ?? ""),
    region: /^https:\/\/sts\.([a-z0-9-]+)\.amazonaws/.exec(call.url)?.[1] ?? "us-east-1",
    service: "sts",
    keys: {
      accessKeyId: renderRaw(sts.access_key_id, values),
      secretAccessKey: renderRaw(sts.secret_access_key, values),
    },
    now,
  });
  return { ...call, headers: { ...call.headers, ...Object.fromEntries(signed) } };
}

interface StsKeys {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
}

function asKeys(value: unknown): StsKeys | undefined {
  return isKeys(value) ? value : undefined;
}

function isKeys(value: unknown): value is StsKeys {
  return ["AccessKeyId", "SecretAccessKey", "SessionToken"].every(
    (name) => typeof readPath(value, name) === "string",
  );
}
