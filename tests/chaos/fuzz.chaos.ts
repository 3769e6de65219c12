import { afterAll, beforeAll, test } from "vitest";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { fuzzed, fuzzOperation } from "../api/fuzz-operation.ts";

let api: ApiUnderTest;
let key = "";
beforeAll(async () => {
  api = await startApi();
  key = await api.keyOf("dev", ["environment:*"]);
});
afterAll(async () => await api[Symbol.asyncDispose]());

test.each(fuzzed)("A5: %s", async (_name, described) => {
  await fuzzOperation({ url: api.url, key }, described, { valid: 300, mutated: 700 });
});
