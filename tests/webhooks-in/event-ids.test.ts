import { webhookEventIds } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import {
  casesAToH,
  casesIToZ,
  listRouters,
  readAs,
} from "../../packages/server/src/webhooks-in/testing/index.ts";

const cases = [...casesAToH, ...casesIToZ];

/** Its earlier form, a notice without an id. */
const isWithoutId = (body: string) => body.includes("eventNotifications");

/** What the id of the first event of a router's example is when these places have these values. */
function idWith(
  router: string,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const example = cases.find((each) => each.router === router && !isWithoutId(each.body));
  const { headers = {}, body = "{}" } = example ?? {};
  const isJson = body.startsWith("{") || body.startsWith("[");
  const parsed = isJson ? JSON.parse(body) : undefined;
  const event = Array.isArray(parsed)
    ? parsed[0]
    : (parsed?.events?.[0] ?? parsed?.value?.[0] ?? parsed);
  const sent: Record<string, string> = { ...headers };
  for (const place of webhookEventIds[router] ?? []) {
    const value = values[place];
    if (place.startsWith("header:")) {
      delete sent[place.slice(7)];
      if (value !== undefined) sent[place.slice(7)] = value;
    } else {
      set(event, place.split("."), value);
    }
  }
  return readAs(router, { headers: sent, body: isJson ? JSON.stringify(parsed) : body })[0]?.id;
}

function set(target: Record<string, unknown>, [name = "", ...below]: string[], value?: string) {
  if (below.length > 0) {
    const inner = Object(target[name] ?? {});
    target[name] = inner;
    set(inner, below, value);
  } else if (value === undefined) {
    delete target[name];
  } else {
    target[name] = value;
  }
}

test.each(Object.entries(webhookEventIds))(
  "%s: an event that is sent again is recognized by %s",
  (router, places) => {
    const values = Object.fromEntries(places.map((place, at) => [place, `one-${at}`]));

    const id = idWith(router, values);

    expect(id).toEqual(expect.any(String));
    expect(idWith(router, values)).toBe(id);
    for (const place of places) {
      expect(idWith(router, { ...values, [place]: "other" }), place).not.toBe(id);
      expect(idWith(router, { ...values, [place]: undefined }), place).toBe(undefined);
    }
  },
);

test("no other router takes an id from its events", () => {
  const known = listRouters().map(({ name }) => name);
  const others = cases.filter(({ router }) => !Object.hasOwn(webhookEventIds, router));

  expect(Object.keys(webhookEventIds).filter((router) => !known.includes(router))).toEqual([]);
  expect(others.length).toBeGreaterThan(5);
  for (const { router, body, headers = {}, query = {} } of others) {
    const [event] = readAs(router, { headers, body, query });
    expect([router, event?.id]).toEqual([router, undefined]);
  }
});
