import {
  type AfterConnect,
  renderOptional,
  renderTemplate,
  type Saved,
  type TemplateValues,
} from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthMode, AuthSubject, AuthTools, Minted } from "./auth-mode.ts";
import { callAsConnection } from "./call-as-connection.ts";
import { findBaseUrl } from "./find-base-url.ts";
import { inStage } from "./in-stage.ts";
import { toTemplateValues } from "./template-values.ts";
import { parseTokenAnswer, readCaptured, readPath } from "./token-answer.ts";
import { renderFields, renderHeaders } from "./write-call.ts";

/** The mode, with the entry's `after_connect` requests made for each connection that becomes usable. */
export function withAfterConnect(mode: AuthMode): AuthMode {
  const { finishAuthorization, completeInstallation } = mode;
  return {
    ...mode,
    accept: async (subject, given, tools) =>
      await complete(mode, subject, await mode.accept(subject, given, tools), tools),
    ...(finishAuthorization === undefined
      ? {}
      : {
          finishAuthorization: async (subject, finish, tools) =>
            await complete(mode, subject, await finishAuthorization(subject, finish, tools), tools),
        }),
    ...(completeInstallation === undefined
      ? {}
      : {
          completeInstallation: async (subject, credentials, found, tools) => {
            const minted = await completeInstallation(subject, credentials, found, tools);
            return await complete(mode, subject, minted, tools);
          },
        }),
  };
}

/** Each request sees what those before it have saved. */
async function complete(
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
  const response = await callAsConnection(mode, subject, credentials, call, tools).catch(
    (error: unknown) => {
      const isSilence = error instanceof AppError && error.code === "connection_test_failed";
      if (optional && isSilence) return undefined;
      throw error;
    },
  );
  if (response === undefined) return {};
  const answer = parseTokenAnswer(response.body);
  if (response.status < 200 || response.status >= 300 || answer === undefined) {
    return optional ? {} : fail(subject, "did not answer as expected");
  }
  const found: Record<string, string> = {};
  for (const [field, source] of Object.entries(save)) {
    const value = readSaved(answer, source, values);
    if (value !== undefined) found[field] = value;
    else if (!optional) fail(subject, `did not tell ${field}`);
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

function readSaved(answer: object, source: Saved, values: TemplateValues): string | undefined {
  if (typeof source === "string") return readCaptured(answer, source);
  if ("text" in source) return renderOptional(source.text, { ...values, answer: { ...answer } });
  const list = readPath(answer, source.list ?? "");
  if (!Array.isArray(list)) return undefined;
  const wanted = Object.entries(source.where).map(
    ([path, template]) => [path, renderOptional(template, values)] as const,
  );
  const item: unknown = list.find((candidate: unknown) =>
    // A value that nobody has given chooses nothing: the first item counts.
    wanted.every(([path, value]) => value === undefined || readCaptured(candidate, path) === value),
  );
  return readCaptured(item, source.path);
}

function fail({ provider }: AuthSubject, fault: string): never {
  throw new AppError(
    "connection_test_failed",
    `The connection was authorised, but what it needs could not be read: ${provider.display_name} ${fault}. Try again.`,
  );
}
