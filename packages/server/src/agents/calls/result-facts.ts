import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Account } from "../sessions/accounts.ts";
import type { Taken } from "./store.ts";

/** Says that the model has asked this before, and was answered alike. */
export function withNote(result: CallToolResult, repeats: number): CallToolResult {
  const text = `You have this answer already: the same call returned the same result ${repeats} times before.`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}

/** Says for which account the call was made, and what is left of the budget. */
export function withFacts(
  result: CallToolResult,
  { account, taken }: { account: Account; taken: Taken },
): CallToolResult {
  const { calls, writes, maxCalls, maxWrites } = taken;
  const left = {
    ...(maxCalls === null ? {} : { calls: maxCalls - calls }),
    ...(maxWrites === null ? {} : { writes: maxWrites - writes }),
  };
  return {
    ...result,
    _meta: {
      "dev.jackfield/account": { alias: account.alias, identity: account.identity ?? null },
      ...(Object.keys(left).length === 0 ? {} : { "dev.jackfield/budget": left }),
    },
  };
}
