import { expect, test } from "vitest";
import { findCaughtCodes } from "../scripts/checks/caught-codes.ts";

const at = (text: string) => findCaughtCodes(new Map([["packages/server/src/syncs/x.ts", text]]));

test.each([
  "if (!(error instanceof AppError) || error.status !== 404) throw error;",
  'return error instanceof AppError && error.code === "unknown_connection";',
  'if (error instanceof AppError && error.code === "taken") throw new AppError("conflict");',
  'if (!(error instanceof AppError)) throw error;\nif (code === "taken") {\n  throw new AppError("conflict");\n}',
])("an error that is caught for its code is found: %s", (text) => {
  expect(at(text)).toHaveLength(1);
});

test("what an error is called may be logged and shown", () => {
  expect(at("const type = error instanceof AppError ? error.code : undefined;")).toEqual([]);
  expect(at('if (answer.status === 404) throw new ProviderFailure("gone");')).toEqual([]);
});
