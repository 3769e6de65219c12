import {
  type AuthorizationCodeRules,
  renderFirst,
  renderTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
  type TokenErrors,
  type TokenResponse,
  type TokenStep,
  toPem,
} from "@jackfield/catalogue";
import { AppError, SECOND } from "#foundation";
import { type EgressResponse, isCertificatePair } from "#foundation/egress";
import { toTemplateValues } from "../apply/template-values.ts";
import {
  renderAll,
  renderFields,
  renderHeaders,
  type WrittenCall,
  writeCall,
} from "../apply/write-call.ts";
import type { AuthSubject, AuthTools } from "../auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { newProofKey, signProof } from "../proof/dpop.ts";
import { sendSigned } from "../proof/send-signed.ts";
import { type SignedAnswer, type SigningFacts, toSignedAnswer } from "../proof/signing-facts.ts";
import { authenticateClient } from "./client-auth.ts";
import { type OAuthClient, toClientValues } from "./oauth-client.ts";
import { sendAsClient } from "./send-as-client.ts";
import {
  type AnswerFields,
  parseTokenAnswer,
  readGrant,
  readPartialGrant,
  readPath,
  type TokenGrant,
} from "./token-answer.ts";
import { toRefreshFailure, wantsProof } from "./token-failure.ts";

// An early end after the server has rotated a refresh token loses it, so patience is cheaper.
const TIMEOUT_MS = 60 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What a grant's request is made of; the entry decides on each of its parts. */
export interface TokenRequest {
  readonly url: readonly Template[];
  readonly method: string;
  readonly format: AuthorizationCodeRules["body_format"];
  readonly xmlRoot: string;
  readonly authMethod: Template;
  readonly assertion: AuthorizationCodeRules["client_assertion"];
  readonly client: OAuthClient;
  /** `none`, or how the token is asked to be bound to a key (RFC 9449). */
  readonly dpop: Template;
  /** That of the connection; a new one is made where it has none yet. */
  readonly proofKey?: string | undefined;
  /** Parameters of the grant; the entry's follow. */
  readonly grant: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, Template>>;
  readonly headers: Readonly<Record<string, Template>>;
  readonly rename: Readonly<Record<string, string>>;
  readonly response: TokenResponse;
  readonly errors: TokenErrors;
  readonly exchange: readonly TokenStep[];
  readonly credentials?: Readonly<Record<string, unknown>> | undefined;
  /** Called with the grant before it is exchanged further. */
  readonly granted?: (grant: TokenGrant) => Promise<void>;
}

/** A grant, and what the calls for it have answered, for what is captured. */
export interface GrantedToken extends TokenGrant {
  readonly response: Pick<EgressResponse, "headers">;
  /** The key to which the token is bound; undefined for a bearer token. */
  readonly proofKey?: string | undefined;
}

/** One grant (RFC 6749 section 3.2) with the exchanges after it; throws ProviderFailure when no token comes. */
export async function requestToken(
  subject: AuthSubject,
  request: TokenRequest,
  tools: AuthTools,
): Promise<GrantedToken> {
  const { response: shape, errors } = request;
  const values: TemplateValues = {
    ...toTemplateValues(subject),
    client: toClientValues(request.client),
    grant: request.grant,
    credentials: request.credentials,
    now: tools.now,
  };
  const url = build(
    () => renderFirst(request.url, values) ?? renderTemplate(asNeeded(request.url), values),
  );
  const usesProof = build(() => renderTemplate(request.dpop, values)) !== "none";
  const proofKey = usesProof ? (request.proofKey ?? (await newProofKey())) : undefined;
  const send = async (client: OAuthClient) => {
    const own = { url, values: { ...values, client: toClientValues(client) }, proofKey };
    const write = async (facts: SigningFacts) =>
      await buildSigned(async () => await writeRequest({ ...request, client }, { ...own, facts }));
    return await sendProven(url, write, tools);
  };
  const { response, client } = await sendAsClient(request.client, send, tools);
  const granted = requireGrant(response, { shape, errors, proofKey }, tools.now);
  if (request.exchange.length > 0) await request.granted?.(granted);
  const taken = { ...values, client: toClientValues(client) };
  const chain = { steps: request.exchange, values: taken, errors, first: granted };
  return await runSteps(chain, tools);
}

/** A call with what it has to show: the client's certificate is its only proof that is not in it. */
export interface ProvenCall extends WrittenCall {
  readonly certified?: OAuthClient | undefined;
}

/** One call to the authorization server, any status; throws ProviderFailure when there is no answer. */
export async function sendProven(
  url: string,
  write: (facts: SigningFacts) => Promise<ProvenCall>,
  tools: AuthTools,
): Promise<EgressResponse> {
  const send = async (call: ProvenCall, review: (answer: SignedAnswer) => boolean) => {
    const response = await sendCall(call, tools, call.certified);
    review(toSignedAnswer(response));
    return response;
  };
  return await sendSigned({ url, role: "token", write, send }, tools);
}

async function writeRequest(
  request: TokenRequest,
  {
    url,
    values: known,
    facts,
    proofKey,
  }: { url: string; values: TemplateValues; facts: SigningFacts; proofKey: string | undefined },
): Promise<ProvenCall> {
  const values = { ...known, now: facts.now };
  const { client, method, format, xmlRoot } = request;
  const auth = await authenticateClient({
    method: renderTemplate(request.authMethod, values),
    client,
    url,
    assertion: request.assertion,
    values,
    now: facts.now,
  });
  const own = renamed({ ...request.grant }, request.rename);
  const fields = {
    ...own,
    ...renderAll(request.params, values),
    ...renamed(auth.fields, request.rename),
  };
  const headers = { ...auth.headers, ...renderHeaders(request.headers, values) };
  const call = writeCall({ method, url, format, xmlRoot, headers, fields });
  const dpop =
    proofKey === undefined ? {} : { dpop: await signProof({ key: proofKey, method, url }, facts) };
  return {
    ...call,
    headers: { ...call.headers, ...dpop },
    certified: auth.withCertificate ? client : undefined,
  };
}

/** The last address, whose missing value is the one to tell of. */
function asNeeded(templates: readonly Template[]): Template {
  const last = templates.at(-1);
  if (last === undefined) throw new TemplateError("there is no token URL");
  return last;
}

/** Parameters under the provider's names; an empty name leaves one out. */
export function renamed(
  fields: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(fields).map(
    ([name, value]) => [names[name] ?? name, value] as const,
  );
  return Object.fromEntries(entries.filter(([name]) => name !== ""));
}

export interface StepChain {
  readonly steps: readonly TokenStep[];
  readonly values: TemplateValues;
  readonly errors: TokenErrors;
  /** What the calls before have given. */
  readonly first?: GrantedToken | undefined;
  /** Values that are signed, by the clock of the server that is called. */
  readonly sign?: ((now: Date) => Promise<TemplateValues | undefined>) | undefined;
}

/** Calls that follow one another; each replaces what it finds, and the refresh token stays unless renewed. */
export async function runSteps(chain: StepChain, tools: AuthTools): Promise<GrantedToken> {
  let granted = chain.first;
  const answers: AnswerFields[] = granted === undefined ? [] : [granted.raw];
  for (const step of chain.steps) {
    const values = { ...chain.values, ...toStepValues(granted, answers) };
    const first = { ...values, ...(await chain.sign?.(tools.now)) };
    const url = build(() => renderTemplate(step.url, first));
    const write = async ({ now }: SigningFacts) => {
      const signed = { ...values, ...(await chain.sign?.(now)) };
      return build(() => writeStep(step, signed));
    };
    const response = await sendProven(url, write, tools);
    const isLast = step === chain.steps.at(-1);
    const next = readStep(
      response,
      step,
      { chain, isLast, hasToken: granted !== undefined },
      tools,
    );
    answers.push(next.raw);
    granted = granted === undefined ? next : mergeGrants(granted, next);
  }
  if (granted === undefined) throw new TypeError("a chain without steps needs a first answer");
  return granted;
}

function toStepValues(granted: GrantedToken | undefined, answers: readonly AnswerFields[]) {
  const tokens =
    granted === undefined
      ? {}
      : { access_token: granted.accessToken, refresh_token: granted.refreshToken };
  return { token: { ...granted?.raw, ...tokens }, steps: Object.fromEntries(answers.entries()) };
}

function writeStep(step: TokenStep, values: TemplateValues): WrittenCall {
  return writeCall({
    method: step.method,
    url: renderTemplate(step.url, values),
    format: step.body_format,
    xmlRoot: step.xml_root,
    headers: renderHeaders(step.headers, values),
    fields: renderFields(step.params, values),
  });
}

/** A step on the way may bring no token of its own; the last one has to, unless there is one already. */
function readStep(
  response: EgressResponse,
  step: TokenStep,
  { chain, isLast, hasToken }: { chain: StepChain; isLast: boolean; hasToken: boolean },
  tools: AuthTools,
): GrantedToken {
  const hints = { shape: step.response, errors: chain.errors };
  if (isLast && !hasToken) return requireGrant(response, hints, tools.now);
  const answer = parseTokenAnswer(response.body);
  if (!isSuccess(response, answer, step.response)) {
    throw toRefreshFailure(response, answer, tools.now, hints);
  }
  return { ...readPartialGrant(response, answer, step.response, tools.now), response };
}

function mergeGrants(before: GrantedToken, after: GrantedToken): GrantedToken {
  const isNewToken = after.accessToken !== "";
  return {
    accessToken: isNewToken ? after.accessToken : before.accessToken,
    refreshToken: after.refreshToken ?? before.refreshToken,
    // The life of a token that was exchanged says nothing of the one it was exchanged for.
    expiresAt: isNewToken ? after.expiresAt : (after.expiresAt ?? before.expiresAt),
    raw: { ...before.raw, ...after.raw },
    response: { headers: { ...before.response.headers, ...after.response.headers } },
    proofKey: isNewToken ? after.proofKey : before.proofKey,
  };
}

function requireGrant(
  response: EgressResponse,
  hints: { shape: TokenResponse; errors: TokenErrors; proofKey?: string | undefined },
  now: Date,
): GrantedToken {
  const answer = parseTokenAnswer(response.body);
  const granted = readGrant(response, answer, hints.shape, now);
  if (granted !== undefined && isSuccess(response, answer, hints.shape)) {
    if (!isBound(answer)) return { ...granted, response };
    if (hints.proofKey !== undefined) return { ...granted, response, proofKey: hints.proofKey };
    throw wantsProof("The token endpoint gave a token of type DPoP");
  }
  throw toRefreshFailure(response, answer, now, hints);
}

/** Such a token is refused as a bearer token (RFC 9449 section 7.1). */
function isBound(answer: AnswerFields | undefined): boolean {
  const type = answer?.["token_type"];
  return typeof type === "string" && type.toLowerCase() === "dpop";
}

function isSuccess(
  { status }: EgressResponse,
  answer: AnswerFields | undefined,
  { success }: TokenResponse,
): boolean {
  if (status < 200 || status >= 300) return false;
  return success === undefined || String(readPath(answer, success.path)) === success.equals;
}

/** Runs the work; a template that cannot be filled is the integration's fault. */
export function build<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toBuildFailure(error);
  }
}

/** `build` for what is signed on the way. */
export async function buildSigned<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toBuildFailure(error);
  }
}

function toBuildFailure(error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  const message = `The token request cannot be built: ${error.message}; check the integration's configuration.`;
  return new ProviderFailure("misconfigured", message, { cause: error });
}

/** One call, any status; throws ProviderFailure when there is no answer. */
export async function sendCall(
  call: WrittenCall,
  tools: AuthTools,
  certified?: OAuthClient,
): Promise<EgressResponse> {
  const { method, url, headers, body } = call;
  try {
    return await tools.http.request({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body }),
      ...toCertificate(certified),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      signal: tools.signal,
    });
  } catch (error) {
    // A host that has failed too often is not asked.
    if (error instanceof ProviderFailure || !(error instanceof AppError)) throw error;
    const kind = error.code === "destination_not_allowed" ? "misconfigured" : "unavailable";
    throw new ProviderFailure(kind, `The token endpoint was not reached: ${error.message}`, {
      cause: error,
    });
  }
}

function toCertificate(client: OAuthClient | undefined) {
  if (client === undefined) return {};
  const { certificate, privateKey } = client;
  if (!certificate || !privateKey) {
    throw new ProviderFailure(
      "misconfigured",
      "The token endpoint wants a client certificate: set client_certificate and client_private_key.",
    );
  }
  const pair = { certificate: toPem(certificate), privateKey: toPem(privateKey) };
  if (isCertificatePair(pair)) return { clientCertificate: pair };
  throw new ProviderFailure(
    "misconfigured",
    "client_certificate and client_private_key are not a certificate and its key, both as PEM.",
  );
}
