import { afterAll, beforeAll, expect, test } from "vitest";
import { findWronglyAdmitted, guarded, makeKeys } from "../api/admission.ts";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";

let api: ApiUnderTest;
let keys: ReadonlyMap<string, string>;
beforeAll(async () => {
  api = await startApi();
  keys = await makeKeys(api);
});
afterAll(async () => await api[Symbol.asyncDispose]());

test.each(guarded)("A1: %s admits just the keys that its row names", async (name, route) => {
  expect(await findWronglyAdmitted(api, keys, [name, route])).toEqual([]);
});
