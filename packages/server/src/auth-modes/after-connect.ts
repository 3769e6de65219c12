import {
  type AfterConnect,
  renderOptional,
  renderTemplate,
  type Saved,
  type TemplateValues,
} from "@jackfield/catalogue";
import { type AppError, invalidFields } from "#foundation";
import { callAsConnection } from "./apply/call-as-connection.ts";
import { findBaseUrl } from "./apply/find-base-url.ts";
import { toTemplateValues } from "./apply/template-values.ts";
import { renderFields, renderHeaders } from "./apply/write-call.ts";
import type { AuthMode, AuthSubject, AuthTools, Minted } from "./auth-mode.ts";
import { inStage } from "./observe/in-stage.ts";
import { ProviderFailure } from "./observe/provider-failure.ts";
import { parseTokenAnswer, readCaptured, readPath } from "./obtain/token-answer.ts";

/** The sender of credentials knows what they are for: values that were given replace those that were found. */
export function preferGiven(subject: AuthSubject, minted: Minted): Minted {
  const capturedConfig = { ...minted.capturedConfig, ...pick(subject, minted.capturedConfig) };
  return { ...minted, capturedConfig };
}

/** Without what the provider tells each time that a connection is made. */
export function withoutDiscovered(
  provider: AuthSubject["provider"],
  config: Readonly<Record<string, string>>,
): Record<string, string> {
  const captured = "capture" in provider ? Object.values(provider.capture) : [];
  const saved = [...captured, ...provider.after_connect.map(({ save }) => save)];
  const names = new Set(saved.flatMap((values) => Object.keys(values)));
  return Object.fromEntries(Object.entries(config).filter(([name]) => !names.has(name)));
}

/** Given values of these names. */
function pick(
  { connectionConfig }: AuthSubject,
  names: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const given = Object.keys(names).map((name) => [name, connectionConfig[name]] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * Makes the entry's `after_connect` requests for a connection that becomes usable; each sees what those before it
 * have saved.
 */
export async function completeConnect(
  mode: AuthMode,
  subject: AuthSubject,
  minted: Minted,
  tools: AuthTools,
): Promise<Minted> {
  const isDone = minted.isPending === true || subject.provider.after_connect.length === 0;
  if (isDone) return minted;
  const capturedConfig = await inStage(
    "after_connect",
    tools,
    async (tools) => await runAll(mode, subject, minted, tools),
  );
  return { ...minted, capturedConfig };
}

async function runAll(
  mode: AuthMode,
  subject: AuthSubject,
  minted: Minted,
  tools: AuthTools,
): Promise<Minted["capturedConfig"]> {
  let capturedConfig = minted.capturedConfig;
  for (const step of subject.provider.after_connect) {
    const connectionConfig = { ...subject.connectionConfig, ...capturedConfig };
    const found = await runStep(mode, { ...subject, connectionConfig }, minted, step, tools);
    capturedConfig = { ...capturedConfig, ...found };
  }
  return capturedConfig;
}

async function runStep(
  mode: AuthMode,
  subject: AuthSubject,
  { credentials }: Minted,
  { request, save, optional }: AfterConnect,
  tools: AuthTools,
): Promise<Record<string, string>> {
  const values = { ...toTemplateValues(subject, credentials), now: tools.now };
  const url = toUrl(subject, request, values);
  if (url === undefined) return optional ? {} : fail(subject, "has no base URL for it");
  const call = {
    method: request.method,
    url,
    headers: renderHeaders(request.headers, values),
    json: request.body === undefined ? undefined : renderFields(request.body, values),
  };
  const given = pick(subject, save);
  const isKnown = Object.keys(save).every((name) => given[name] !== undefined);
  const mayFail = optional || isKnown;
  const response = await callAsConnection(mode, subject, credentials, call, tools).catch(
    (error: unknown) => {
      if (mayFail && error instanceof ProviderFailure) return undefined;
      throw error;
    },
  );
  if (response === undefined) return {};
  const answer = parseTokenAnswer(response.body);
  if (response.status < 200 || response.status >= 300 || answer === undefined) {
    // What is known beforehand is not needed, but credentials that are refused are not.
    const isRefused = response.status === 401 && !optional;
    return mayFail && !isRefused ? given : fail(subject, "did not answer as expected");
  }
  const found: Record<string, string> = { ...given };
  const kept = subject.keptConfig ?? {};
  for (const [field, source] of Object.entries(save)) {
    if (given[field] !== undefined && !isListed(source)) continue;
    const value = readSaved(answer, { subject, field, source, save, values, given, kept });
    if (value !== undefined) found[field] = value;
    else if (!optional && given[field] === undefined) fail(subject, `did not tell ${field}`);
  }
  return found;
}

function toUrl(
  subject: AuthSubject,
  { path, url }: AfterConnect["request"],
  values: TemplateValues,
): string | undefined {
  if (url !== undefined) return renderOptional(url, values);
  const base = findBaseUrl(subject);
  if (base === undefined || path === undefined) return undefined;
  return base.replace(/(?<!\/)\/+$/, "") + renderTemplate(path, values);
}

type Listed = Exclude<Saved, string | { readonly text: unknown }>;

function isListed(source: Saved): source is Listed {
  return typeof source !== "string" && !("text" in source);
}

interface Saving {
  readonly subject: AuthSubject;
  readonly field: string;
  readonly source: Saved;
  readonly save: AfterConnect["save"];
  readonly values: TemplateValues;
  readonly given: Readonly<Record<string, string>>;
  readonly kept: Readonly<Record<string, string>>;
}

function readSaved(answer: object, { source, ...saving }: Saving): string | undefined {
  if (typeof source === "string") return readCaptured(answer, source);
  const { values } = saving;
  if ("text" in source) return renderOptional(source.text, { ...values, answer: { ...answer } });
  const list = readPath(answer, source.list ?? "");
  if (!Array.isArray(list) || list.length === 0) return saving.given[saving.field];
  return readCaptured(chooseItem(list, { source, ...saving }), source.path);
}

/**
 * The item that holds what was given for it, or what the connection held before; else the first that the entry wants.
 * Throws invalid_body for a value that no item holds: the first would be somebody else's account.
 */
function chooseItem(
  list: readonly unknown[],
  { subject, source, save, values, given, kept }: Saving & { readonly source: Listed },
): unknown {
  const ofList = Object.entries(save).flatMap(([name, each]) =>
    isListed(each) && each.list === source.list ? [{ name, path: each.path }] : [],
  );
  for (const known of [given, kept]) {
    const wanted = ofList.filter(({ name }) => known[name] !== undefined);
    if (wanted.length === 0) continue;
    const holds = ({ name, path }: { name: string; path: string }, item: unknown) =>
      readCaptured(item, path) === known[name];
    const found =
      known === given
        ? list.find((item) => wanted.every((each) => holds(each, item)))
        : list.find((item) => wanted.some((each) => holds(each, item)));
    if (found !== undefined) return found;
    throw refuseUnlisted(subject, wanted, { list, known });
  }
  const conditions = Object.entries(source.where).map(
    ([path, template]) => [path, renderOptional(template, values)] as const,
  );
  return list.find((candidate: unknown) =>
    // A value that nobody has given chooses nothing: the first item counts.
    conditions.every(
      ([path, value]) => value === undefined || readCaptured(candidate, path) === value,
    ),
  );
}

// So many of the provider's accounts are named.
const NAMED = 5;

function refuseUnlisted(
  { provider }: AuthSubject,
  wanted: readonly { readonly name: string; readonly path: string }[],
  { list, known }: { list: readonly unknown[]; known: Readonly<Record<string, string>> },
): AppError {
  const all = wanted.map(({ name, path }) => ({
    name,
    listed: list.flatMap((item) => readCaptured(item, path) ?? []),
  }));
  const unlisted = all.filter(({ name, listed }) => !listed.includes(known[name] ?? ""));
  if (unlisted.length === 0) {
    const [first, ...others] = wanted.map(({ name }) => name);
    const message = `is of another account at ${provider.display_name} than \`${first}\``;
    return invalidFields(
      "invalid_body",
      others.map((name) => ({ path: ["connection_config", name], message })),
    );
  }
  const faults = unlisted.map(({ name, listed }) => {
    const rest = listed.length > NAMED ? ` and ${listed.length - NAMED} more` : "";
    const message = `is ${JSON.stringify(known[name])}, which ${provider.display_name} does not list for these credentials; it lists ${listed.slice(0, NAMED).join(", ")}${rest}`;
    return { path: ["connection_config", name], message };
  });
  return invalidFields("invalid_body", faults);
}

function fail({ provider }: AuthSubject, fault: string): never {
  throw new ProviderFailure(
    "refused",
    `The connection was authorized, but what it needs could not be read: ${provider.display_name} ${fault}. Try again.`,
  );
}
