import { AppError } from "#foundation";
import { writeCall } from "../apply/write-call.ts";
import type { AuthTools } from "../auth-mode.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { sendCall } from "./request-token.ts";
import { parseTokenAnswer } from "./token-answer.ts";

export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_auth_method: string;
}

export interface Registration {
  readonly url: string;
  readonly redirectUri: string;
  /** What the client would authenticate by; the server's answer counts. */
  readonly tokenAuthMethod: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A client of our own at the server (RFC 7591); throws ProviderFailure. */
export async function registerClient(
  { url, redirectUri, tokenAuthMethod, metadata }: Registration,
  tools: AuthTools,
): Promise<RegisteredClient> {
  const call = writeCall({
    method: "POST",
    url,
    format: "json",
    headers: {},
    fields: {
      client_name: "Jackfield",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: tokenAuthMethod,
      ...metadata,
    },
  });
  const response = await sendCall(call, tools).catch((error: unknown) => {
    if (!(error instanceof ProviderFailure)) throw error;
    throw error.with({ ending: "token_err" });
  });
  const answer = parseTokenAnswer(response.body);
  const { client_id: id, client_secret: secret } = answer ?? {};
  if (response.status >= 300 || typeof id !== "string" || id === "") {
    const code = String(answer?.["error"] ?? "").replace(/[^A-Za-z0-9_.-]/g, "");
    const why = `status ${response.status}${code === "" ? "" : `, ${code}`}`;
    const failed = `The server did not register a client (${why})`;
    throw failedAs("token_err", `${failed}; set a client of your own.`);
  }
  const method = answer?.["token_endpoint_auth_method"];
  return {
    client_id: id,
    ...(typeof secret === "string" && secret !== "" ? { client_secret: secret } : {}),
    token_auth_method: typeof method === "string" ? method : tokenAuthMethod,
  };
}

/** The id of a client whose metadata stand at an address; throws integration_misconfigured without one. */
export function requireMetadataUrl(url: string | undefined): string {
  if (url?.startsWith("https://") === true) return url;
  throw new AppError(
    "integration_misconfigured",
    "This provider reads the client's metadata from this installation: SVC_SERVER_URL has to be an https address.",
  );
}
