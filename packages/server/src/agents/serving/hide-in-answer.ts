import { hideCredentials } from "#connections";
import { type EnvironmentContext, messageOf } from "#foundation";
import { cleanShownText, type ToolFailure } from "#mcp";
import type { Account } from "../sessions/accounts.ts";

type Of = Pick<Account, "integration" | "connection">;

/** An output without its connection's credentials: providers repeat what they were sent, and actions what they were given. */
export async function hideInOutput(
  ctx: EnvironmentContext,
  account: Of,
  output: Uint8Array,
): Promise<Uint8Array> {
  const text = Buffer.from(output).toString();
  const hidden = await hideInJson(ctx, account, text);
  return hidden === text ? output : Buffer.from(hidden);
}

/** The same for what a model reads of a failure. */
export async function hideInFailure(
  ctx: EnvironmentContext,
  account: Of,
  failure: ToolFailure,
): Promise<ToolFailure> {
  const text = JSON.stringify(failure);
  const hidden = await hideInJson(ctx, account, text);
  // Only texts have been replaced by texts.
  return hidden === text ? failure : (JSON.parse(hidden) as ToolFailure);
}

async function hideInJson(ctx: EnvironmentContext, account: Of, text: string): Promise<string> {
  try {
    const hidden = await hideAlsoSmuggled(ctx, account, text);
    if (hidden === text || isJson(hidden)) return hidden;
  } catch (error) {
    // What the call did is done: it may not fail here.
    ctx.log.warn("agents.answer_withheld", { reason: messageOf(error) });
    return JSON.stringify(WITHHELD);
  }
  // A credential of digits was a number somewhere: no text can take its place.
  return JSON.stringify(WITHHELD);
}

/** A credential between characters that nobody sees would be one again as soon as these are taken out. */
async function hideAlsoSmuggled(
  ctx: EnvironmentContext,
  account: Of,
  text: string,
): Promise<string> {
  const hidden = await hideCredentials(ctx, account, text);
  const seen = cleanShownText(hidden);
  if (seen.removed === 0) return hidden;
  const again = await hideCredentials(ctx, account, seen.text);
  return again === seen.text ? hidden : again;
}

const WITHHELD: Pick<ToolFailure, "code" | "message" | "next"> = {
  ...{
    code: "internal",
    message: "The answer may hold credentials of the account and is withheld.",
  },
  next: "The call has ended. Report it to the user.",
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
