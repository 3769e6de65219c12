import {
  type AfterConnect,
  listReferences,
  type Provider,
  renderOptional,
  renderTemplate,
  type TemplateValues,
} from "@jackfield/catalogue";
import { placeOf, type Received, readFields, toPlace } from "../exchange/received.ts";
import { type Reply, replyJson, setPath } from "../exchange/write-answer.ts";
import { notePassed, type VendorState, valuesOf } from "../vendor-state.ts";
import { checkCall } from "./api-call.ts";
import { expectFields, flatten, wantedOfAll, wantedOfJson } from "./expect-fields.ts";
import { answerOwnApi } from "./own-api.ts";

/** Answers the calls that the entry makes after an authorization; undefined for another request. */
export async function answerAfterConnect(
  state: VendorState,
  received: Received,
): Promise<Reply | undefined> {
  const { provider } = state;
  const index = provider.after_connect.findIndex((step) => isCallOf(state, received, step));
  const step = provider.after_connect[index];
  if (step === undefined) return undefined;
  const own = wantedOfAll(step.request.headers, callValues(state, received));
  const { values, grant, below, query } = checkCall(state, received, {
    stage: "after_connect",
    ownHeaders: own,
  });
  if (step.request.body !== undefined) {
    expectFields({
      stage: "after_connect",
      what: "the field",
      got: flatten(readFields(received, "json")),
      wanted: wantedOfJson(step.request.body, values),
    });
  }
  notePassed(state, "after_connect");
  const { answer, reported } = writeSaved(state, step, values);
  Object.assign(grant?.config ?? {}, reported);
  const path = below ?? received.path;
  const reply = await answerOwnApi(state, received, { path, query });
  return reply === undefined ? replyJson(answer) : replyJson(merge(readJson(reply), answer));
}

/** What the entry looks for, next to the rest of an answer; a list of it stands alone. */
function merge(whole: unknown, found: object): unknown {
  return Array.isArray(found) ? found : { ...Object(whole), ...found };
}

function readJson({ body }: Reply): unknown {
  return typeof body === "string" && body !== "" ? JSON.parse(body) : {};
}

/** With the token of the request, for headers of the step that name it. */
export function callValues(state: VendorState, received: Received): TemplateValues {
  const texts = JSON.stringify([received.headers, received.search]);
  const grant = [...state.grants].find(
    ({ access }) => access !== undefined && texts.includes(access),
  );
  const access = grant?.access;
  return valuesOf(state, grant, {
    credentials: {
      ...state.samples.credentials,
      ...(access && { access_token: access, token: access }),
    },
  });
}

function isCallOf(state: VendorState, received: Received, { request }: AfterConnect): boolean {
  if (request.method !== received.method) return false;
  const values = callValues(state, received);
  const address =
    request.url === undefined
      ? findAddress(state.provider, request, values)
      : renderOptional(request.url, values);
  if (address === undefined || toPlace(address) !== placeOf(received)) return false;
  const { searchParams } = new URL(address);
  return [...searchParams].every(([name, value]) => received.query.get(name) === value);
}

function findAddress(
  { base_url: bases = [] }: Provider,
  { path }: AfterConnect["request"],
  values: TemplateValues,
): string | undefined {
  if (path === undefined) return undefined;
  for (const base of bases) {
    const known = renderOptional(base, values);
    if (known !== undefined) return known.replace(/(?<!\/)\/+$/, "") + renderTemplate(path, values);
  }
  return undefined;
}

/** An answer in which each value stands where the entry looks for it, next to others that it must pass over. */
function writeSaved(
  state: VendorState,
  { save }: AfterConnect,
  values: TemplateValues,
): { answer: object; reported: Record<string, string> } {
  let answer: Record<string, unknown> | unknown[] = {};
  const reported: Record<string, string> = {};
  const items = new Map<string, Record<string, unknown>>();
  for (const [field, source] of Object.entries(save)) {
    const value = state.samples.reported[field] ?? state.samples.connectionConfig[field] ?? "";
    if (typeof source === "string") {
      setPath(asFields(answer), source, value);
      reported[field] = value;
      continue;
    }
    if ("text" in source) {
      for (const { name } of listReferences(source.text))
        setPath(asFields(answer), name, `part-${name}`);
      reported[field] = renderTemplate(source.text, { ...values, answer: asFields(answer) });
      continue;
    }
    const where = Object.entries(source.where).flatMap(([path, template]) => {
      const text = renderOptional(template, values);
      return text === undefined ? [] : [[path, text] as const];
    });
    const key = JSON.stringify([source.list, where]);
    const item = items.get(key) ?? {};
    if (!items.has(key)) {
      items.set(key, item);
      const decoy = Object.fromEntries(where.map(([path, text]) => [path, `not-${text}`]));
      const list = where.length === 0 ? [item] : [decoy, item];
      if (source.list === undefined) answer = list;
      else setPath(asFields(answer), source.list, list);
    }
    for (const [path, text] of where) setPath(item, path, text);
    reported[field] = where.find(([path]) => path === source.path)?.[1] ?? value;
    setPath(item, source.path, reported[field]);
  }
  return { answer, reported };
}

// An answer that is a list holds no fields next to it.
function asFields(answer: object): Record<string, unknown> {
  return answer as Record<string, unknown>;
}
