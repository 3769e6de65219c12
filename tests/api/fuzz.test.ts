import { afterAll, beforeAll, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import { fuzzed, fuzzOperation } from "./fuzz-operation.ts";

let api: ApiUnderTest;
let key = "";
beforeAll(async () => {
  api = await startApi();
  key = await api.keyOf("dev", ["environment:*"]);
});
afterAll(async () => await api[Symbol.asyncDispose]());

test.each(fuzzed)("%s answers anything with what is described", async (_name, described) => {
  await fuzzOperation({ url: api.url, key }, described, { valid: 2, mutated: 5 });
});
