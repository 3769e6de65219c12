import type { SystemContext } from "#foundation";
import { spellingsOf } from "#gateway";
import type { FinishedAuthorization } from "../ending.ts";
import { choosePageTexts } from "./page-texts.ts";
import { errorPage, type Page, type PageScript, successPage } from "./pages.ts";

/** Address of the callback page's script. */
export function scriptAddress({ settings }: Pick<SystemContext, "settings">): string {
  return `${settings.serverUrl}/oauth/callback.js`;
}

type Ending = Omit<FinishedAuthorization, "cookie" | "returnUrl">;

/** The page at the end of an attempt; it tells the window that opened it, if that was named at the start. */
export function presentEnding(
  ctx: SystemContext,
  ending: Ending,
  {
    status,
    acceptLanguage,
  }: { readonly status: number; readonly acceptLanguage?: string | undefined },
): Page {
  const texts = choosePageTexts(acceptLanguage, ending.language);
  const { error, made, openerOrigin, attemptId } = ending;
  const script: PageScript = {
    address: scriptAddress(ctx),
    outcome: error === undefined ? "success" : error.type === "state_err" ? "stale" : "error",
    opener:
      openerOrigin === undefined
        ? undefined
        : { origin: openerOrigin, messages: toMessages(ctx, ending, attemptId) },
  };
  if (error !== undefined) return errorPage({ ...error, status }, { script, texts });
  return successPage(script, { isPending: made?.isPending ?? false, texts });
}

/** One message, under each spelling of its name. */
function toMessages(
  ctx: SystemContext,
  { error, made }: Ending,
  attemptId: string | undefined,
): object[] {
  const attempt = attemptId === undefined ? {} : { attemptId };
  const name = `svc_oauth_callback_${error === undefined ? "success" : "error"}`;
  const reported =
    error === undefined ? { ...made } : { message: error.message, errorType: error.type };
  return spellingsOf(ctx, name).map((type) => ({ type, payload: { ...reported, ...attempt } }));
}

/** Names of the result; values that the address already has under them are not from this attempt. */
const resultNames = [
  "state",
  "connection_id",
  "provider_config_key",
  "is_pending",
  "error",
  "error_description",
];

/** Where a browser goes that came without a popup: the session's page, with the result in the query. */
export function toReturnAddress(returnUrl: string, { error, made }: Ending): string {
  const url = new URL(returnUrl);
  const result = {
    ...(made === undefined
      ? {}
      : {
          connection_id: made.connectionId,
          provider_config_key: made.providerConfigKey,
          ...(made.isPending ? { is_pending: "true" } : {}),
        }),
    ...(error === undefined ? {} : { error: error.type, error_description: error.message }),
  };
  for (const name of resultNames) url.searchParams.delete(name);
  url.searchParams.set("state", error === undefined ? "success" : "error");
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  return url.href;
}
