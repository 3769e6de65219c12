import type { IncomingMessage, ServerResponse } from "node:http";
import type Provider from "oidc-provider";
import { renderConsentPage, renderErrorPage, renderLoginPage } from "../pages.ts";
import { readBody } from "../read-body.ts";
import { sendHtml } from "../respond.ts";

/** Account that signs in when consent is automatic; in the pages any email address works. */
export const demoAccount = { email: "demo@harbor.example", password: "harbor" } as const;

export type ConsentMode = "interactive" | "automatic";

type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;

interface InteractionInput {
  readonly provider: Provider;
  readonly consent: ConsentMode;
  readonly permissionTexts: ReadonlyMap<string, string>;
}

const formLimitBytes = 16 * 1024;

/** Answers the login and consent steps of one authorization request, by page or at once. */
export async function answerInteraction(
  input: InteractionInput,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { provider } = input;
  const interaction = await provider.interactionDetails(request, response);
  const isLogin = interaction.prompt.name === "login";

  if (input.consent === "automatic") {
    return isLogin
      ? finishLogin(provider, demoAccount.email, request, response)
      : finishConsent(provider, interaction, request, response);
  }
  if (request.method !== "POST") {
    return isLogin ? showLogin(response, 200, {}) : showConsent(input, interaction, response);
  }

  const body = await readBody(request, formLimitBytes);
  const form = new URLSearchParams(body?.toString() ?? "");
  const action = form.get("action");
  if (isLogin && action === "sign-in") {
    const email = form.get("email")?.trim() ?? "";
    if (email.includes("@") && form.get("password") === demoAccount.password) {
      return finishLogin(provider, email, request, response);
    }
    return showLogin(response, 401, { email, error: "Email or password is wrong." });
  }
  if (!isLogin && action === "allow")
    return finishConsent(provider, interaction, request, response);
  if (!isLogin && action === "deny") return finishDenial(provider, request, response);
  sendHtml(
    response,
    400,
    renderErrorPage({
      title: "This form is out of date",
      message: "Go back to the app that sent you here and connect again.",
    }),
  );
}

function showLogin(
  response: ServerResponse,
  status: number,
  fields: { email?: string; error?: string },
): void {
  const hint = `This is a sample provider. Use any email address with the password "${demoAccount.password}".`;
  sendHtml(response, status, renderLoginPage({ ...fields, hint }));
}

async function showConsent(
  input: InteractionInput,
  interaction: Interaction,
  response: ServerResponse,
): Promise<void> {
  const client = await input.provider.Client.find(String(interaction.params["client_id"]));
  const permissions = String(interaction.params["scope"] ?? "")
    .split(" ")
    .flatMap((scope) => input.permissionTexts.get(scope) ?? []);
  sendHtml(
    response,
    200,
    renderConsentPage({
      clientName: client?.clientName ?? "An app",
      email: interaction.session?.accountId ?? "",
      permissions,
    }),
  );
}

async function finishLogin(
  provider: Provider,
  email: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId: email } },
    { mergeWithLastSubmission: false },
  );
}

async function finishConsent(
  provider: Provider,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const grant = new provider.Grant({
    accountId: interaction.session?.accountId,
    clientId: String(interaction.params["client_id"]),
  });
  grant.addOIDCScope(String(interaction.params["scope"]));
  const grantId = await grant.save();
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId } },
    { mergeWithLastSubmission: true },
  );
}

async function finishDenial(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionFinished(
    request,
    response,
    { error: "access_denied", error_description: "The user denied access" },
    { mergeWithLastSubmission: false },
  );
}
