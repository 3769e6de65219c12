import {
  type ProviderOf,
  renderOptional,
  renderRaw,
  renderTemplate,
  type SignedToken,
  type TemplateValues,
} from "@jackfield/catalogue";
import {
  expectFields,
  expectHeaders,
  flatten,
  wantedOfAll,
  wantedOfJson,
} from "../calls/expect-fields.ts";
import { isSignedV4, publicKeyOf, readJwt } from "../calls/signatures.ts";
import {
  holds,
  placeOf,
  type Received,
  Refusal,
  readFields,
  type Stage,
  toPlace,
} from "../exchange/received.ts";
import { type Reply, replyJson, writeTokenAnswer } from "../exchange/write-answer.ts";
import {
  type Grant,
  newGrant,
  newSecret,
  notePassed,
  type VendorState,
  valuesOf,
} from "../vendor-state.ts";
import { checkStep } from "./check-step.ts";
import { grantTokens } from "./token-requests.ts";

/** Answers the calls by which modes without an authorization server get their tokens. */
export function answerLogin(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  switch (provider.auth_mode) {
    case "TWO_STEP":
      return answerTwoStep(state, provider, received);
    case "BILL":
      return answerBill(state, provider, received);
    case "AWS_SIGV4":
      return answerSts(state, provider, received);
    case "APP":
    case "CUSTOM":
      return answerInstallation(state, provider, received);
    default:
      return undefined;
  }
}

/** The one grant of a vendor whose connections log in with what the end user typed. */
function onlyGrant(state: VendorState): Grant {
  const [known] = state.grants;
  if (known !== undefined) return known;
  const grant = newGrant(state.samples.client);
  state.grants.add(grant);
  return grant;
}

function answerTwoStep(
  state: VendorState,
  provider: ProviderOf<"TWO_STEP">,
  received: Received,
): Reply | undefined {
  const grant = onlyGrant(state);
  const stage: Stage = grant.access === undefined ? "token" : "refresh";
  const values = loginValues(state, provider, { received, grant, stage });
  const place = placeOf(received);
  const { refresh } = provider;
  if (refresh !== undefined && holds(received, grant.refresh)) {
    if (place === toPlace(renderTemplate(refresh.url, values))) {
      checkStep(received, { step: refresh, stage: "refresh", values });
      notePassed(state, "refresh");
      return finishLogin(state, provider, { grant, step: refresh, stage: "refresh" });
    }
  }
  const at = grant.chain?.at ?? 0;
  const step = provider.login[at];
  if (step === undefined || place !== toPlace(renderTemplate(step.url, values))) return undefined;
  checkStep(received, { step, stage, values });
  if (at + 1 === provider.login.length) {
    grant.chain = undefined;
    notePassed(state, stage);
    return finishLogin(state, provider, { grant, step, stage });
  }
  const access = newSecret(state, "intermediate");
  const answers = [...(grant.chain?.answers ?? []), { access, refresh: undefined }];
  grant.chain = { at: at + 1, answers, isRefresh: stage === "refresh" };
  return writeTokenAnswer(step.response, {
    accessToken: access,
    lifetimeSeconds: 3600,
    reported: new Map(),
    format: step.body_format === "xml" ? "xml" : "json",
  });
}

function loginValues(
  state: VendorState,
  { signed_assertion: rules }: ProviderOf<"TWO_STEP">,
  { received, grant, stage }: { received: Received; grant: Grant; stage: Stage },
): TemplateValues {
  const answers = grant.chain?.answers ?? [];
  const known = {
    ...state.samples.credentials,
    ...(grant.refresh && { refresh_token: grant.refresh }),
  };
  const values = valuesOf(state, grant, {
    client: undefined,
    credentials: known,
    token: { access_token: answers.at(-1)?.access },
    steps: Object.fromEntries(
      answers.map(({ access }, index) => [index, { access_token: access }]),
    ),
  });
  if (rules === undefined) return values;
  const texts = [...flatten(readFields(received, "form")).values(), received.body];
  const jwt = texts.find((text) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text));
  if (jwt === undefined) return values;
  checkEntryToken(jwt, { rules, stage, values });
  return { ...values, assertion: jwt };
}

function finishLogin(
  state: VendorState,
  provider: ProviderOf<"TWO_STEP">,
  {
    grant,
    step,
    stage,
  }: { grant: Grant; step: ProviderOf<"TWO_STEP">["login"][number]; stage: Stage },
): Reply {
  return grantTokens(state, grant, {
    stage,
    shape: step.response,
    capture: provider.capture.token,
    exchange: [],
    withRefresh: provider.refresh !== undefined,
    format: step.body_format,
  });
}

/** A JWT that the server signs with a key of the end user's, as the entry describes it. */
export function checkEntryToken(
  jwt: string,
  { rules, stage, values }: { rules: SignedToken; stage: Stage; values: TemplateValues },
): void {
  const pem = renderRaw(rules.key, values);
  const key = rules.alg.startsWith("HS") ? Buffer.from(pem, rules.key_encoding) : publicKeyOf(pem);
  const read = readJwt(jwt, { alg: rules.alg, key });
  if (typeof read === "string") throw new Refusal(stage, `the signed token ${read}`, 401);
  for (const [what, got, templates] of [
    ["the claim", read.claims, rules.claims],
    ["the token's header", read.header, rules.header],
  ] as const) {
    const wanted = wantedOfJson(templates, values);
    expectFields({ stage, what, got: flatten(got), wanted, exact: false });
  }
  const { exp, iat } = read.claims;
  if (typeof exp !== "number" || typeof iat !== "number") {
    throw new Refusal(stage, "the signed token says neither exp nor iat");
  }
  if (exp - iat > rules.lifetime_s + rules.backdate_s) {
    throw new Refusal(
      stage,
      `the signed token lives ${exp - iat} s, longer than ${rules.lifetime_s} s`,
    );
  }
}

function answerBill(
  state: VendorState,
  provider: ProviderOf<"BILL">,
  received: Received,
): Reply | undefined {
  const url = renderTemplate(provider.token_url, valuesOf(state, undefined));
  if (placeOf(received) !== toPlace(url)) return undefined;
  const grant = onlyGrant(state);
  const stage = grant.access === undefined ? "token" : "refresh";
  const given = state.samples.credentials;
  expectFields({
    stage,
    what: "the field",
    got: flatten(readFields(received, "json")),
    wanted: new Map([
      ["username", given["username"] ?? ""],
      ["password", given["password"] ?? ""],
      ["organizationId", given["organization_id"] ?? ""],
      ["devKey", given["dev_key"] ?? ""],
    ]),
  });
  grant.access = newSecret(state, "session");
  grant.accessEnds = Date.now() + provider.lifetime_s * 1000;
  notePassed(state, stage);
  return replyJson({ sessionId: grant.access, userId: "u1" });
}

/** STS hands out keys that the vendor knows again by their session token. */
function answerSts(
  state: VendorState,
  provider: ProviderOf<"AWS_SIGV4">,
  received: Received,
): Reply | undefined {
  const given = { ...state.samples.credentials };
  const values = valuesOf(state, undefined, { credentials: { region: given["region"] } });
  if (placeOf(received) !== toPlace(renderTemplate(provider.sts.url, values))) return undefined;
  const grant = onlyGrant(state);
  const stage = grant.access === undefined ? "token" : "refresh";
  const keys = {
    id: renderRaw(provider.sts.access_key_id, values),
    secret: renderRaw(provider.sts.secret_access_key, values),
    region: "us-east-1",
    service: "sts",
  };
  if (!isSignedV4(received, keys)) throw new Refusal(stage, "the signature is wrong", 403);
  const external = provider.sts.external_id && renderOptional(provider.sts.external_id, values);
  expectFields({
    stage,
    what: "the field",
    got: flatten(readFields(received, "form")),
    wanted: new Map([
      ["Action", "AssumeRole"],
      ["RoleArn", given["role_arn"] ?? ""],
      ...(external === undefined ? [] : [["ExternalId", external] as const]),
    ]),
    exact: false,
  });
  grant.access = newSecret(state, "session");
  grant.accessEnds = Date.now() + provider.sts.duration_s * 1000;
  grant.config["region"] = renderTemplate(provider.region, values);
  grant.config["service"] = renderTemplate(provider.service, values);
  notePassed(state, stage);
  const body = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA${grant.access.length}</AccessKeyId><SecretAccessKey>key of ${grant.access}</SecretAccessKey><SessionToken>${grant.access}</SessionToken><Expiration>${new Date(grant.accessEnds).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
  return { status: 200, headers: { "content-type": "text/xml" }, body };
}

const INSTALLATION = "4711";

function answerInstallation(
  state: VendorState,
  provider: ProviderOf<"APP" | "CUSTOM">,
  received: Received,
): Reply | undefined {
  const values = valuesOf(state, {
    client: state.samples.client,
    config: { installation_id: INSTALLATION },
  });
  const url = renderTemplate(provider.installation_token_url, values);
  if (placeOf(received) !== toPlace(url) || received.method !== "POST") return undefined;
  const installed = [...state.grants].find(
    ({ config }) => config["installation_id"] === INSTALLATION,
  );
  const stage = installed === undefined ? "token" : "refresh";
  const grant = installed ?? newGrant(state.samples.client);
  const bearer = /^Bearer (.+)$/.exec(received.headers.authorization ?? "")?.[1] ?? "";
  const { appId, privateKey } = state.samples.client;
  const read = readJwt(bearer, { alg: "RS256", key: publicKeyOf(privateKey) });
  if (typeof read === "string") throw new Refusal(stage, `the app's token ${read}`, 401);
  if (String(read.claims["iss"]) !== appId)
    throw new Refusal(stage, "the token is of another app", 401);
  const { iat, exp } = read.claims;
  if (typeof iat !== "number" || typeof exp !== "number" || exp - iat > 600) {
    throw new Refusal(stage, "the app's token lives longer than 10 minutes", 401);
  }
  expectHeaders(stage, received.headers, wantedOfAll(provider.installation_token_headers, values));
  grant.config["installation_id"] = INSTALLATION;
  grant.access = newSecret(state, "installation");
  grant.accessEnds = Date.now() + 3_600_000;
  state.grants.add(grant);
  notePassed(state, stage);
  return replyJson(
    { token: grant.access, expires_at: new Date(grant.accessEnds).toISOString() },
    201,
  );
}
