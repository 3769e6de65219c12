import { functionLimits } from "@jackfield/contract/function-limits";
import { expect, test } from "vitest";
import * as z from "zod";
import { testRun } from "../testing/test-run.ts";

const MOST = functionLimits.deletedKeys.value;

test("the keys of more deletions than fit into memory are cut, with a warning", async () => {
  const page = Array.from({ length: 60_000 }, (_, index) => `id-${index}`);
  const { svc, calls } = testRun({
    schemas: { models: { Contact: z.object({ id: z.string() }) } },
    answer: ({ method, params }) => {
      if (method === "trackDeletesEnd") return { value: { deleted: 200_000, range: [0, 4] } };
      if (method !== "listDeletedKeys") return {};
      const [after] = Object(params["range"]);
      return { value: { ids: page, after: after + 1 } };
    },
  });

  const { deletedKeys } = await svc.trackDeletesEnd("Contact");

  expect(deletedKeys).toHaveLength(MOST);
  expect(calls.filter(({ method }) => method === "listDeletedKeys")).toHaveLength(2);
  expect(calls.at(-1)?.params).toMatchObject({ level: "warn" });
});
