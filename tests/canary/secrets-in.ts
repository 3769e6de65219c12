// Names under which secrets travel: OAuth's, the API's own, and those of providers' APIs.
const names = [
  ...["access_token", "refresh_token", "id_token", "client_secret", "client_assertion"],
  ...["code_verifier", "oauth_token", "oauth_token_secret", "token_secret", "device_code"],
  ...["apiKey", "api_key", "password", "private_key", "privateKey", "secret_key", "secretKey"],
  ...["secret", "webhook_secret", "webhook_signing_key", "connect_session_token", "session_token"],
  ...["token", "tokenId", "tokenSecret", "jwt", "connectSessionToken"],
].join("|");
const inJson = new RegExp(String.raw`"(?:${names})"\s*:\s*"((?:[^"\\]|\\.)+)"`, "g");
const inForm = new RegExp(`(?:^|[?&])(?:${names})=([^&\\s"]+)`, "g");

// Keys that this platform makes are recognized by their form, anywhere in a text.
const ownForms =
  /svc_key_[\w-]{49}(?![\w-])|svc_connect_session_[0-9a-f]{64}|whsec_[A-Za-z0-9+/]{43}=/g;
const privateKeys = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+([A-Za-z0-9+/]{60,})/g;

/** Secrets of a body (JSON or form) or URL, by the names they travel under; only such as can be recognized. */
export function secretsInBody(text: string): string[] {
  const found = [...text.matchAll(inJson)].map(([, value = ""]) => unescaped(value));
  const given = [...text.matchAll(inForm)].map(([, value = ""]) => decoded(value));
  return [...found, ...given, ...ownSecretsIn(text)].filter(isTelling);
}

/** Keys, session tokens, signing keys and private keys, recognized by their form. */
export function ownSecretsIn(text: string): string[] {
  const lines = [...text.matchAll(privateKeys)].map(([, line = ""]) => line);
  return [...(text.match(ownForms) ?? []), ...lines];
}

/** Secrets of an Authorization header, or of one that providers use in its place. */
export function secretsInHeader(name: string, value: string): string[] {
  if (/^(svc-proxy-)?(proxy-)?authorization$/i.test(name)) {
    const [scheme = "", rest = ""] = value.split(/\s+(.*)/s);
    if (!/^basic$/i.test(scheme)) return [rest === "" ? scheme : rest].filter(isTelling);
    const pair = Buffer.from(rest, "base64").toString();
    return [rest, pair.slice(pair.indexOf(":") + 1)].filter(isTelling);
  }
  return /^(svc-proxy-)?(x-)?[\w-]*(api-?key|token|secret)$/i.test(name)
    ? [value].filter(isTelling)
    : [];
}

// Tests of webhooks tell their environments by the header.
const testEnvironment = /^test-[0-9a-f-]{36}$/;

/** Long and varied enough not to stand anywhere by chance. */
function isTelling(value: string): boolean {
  if (value.length < 16 || /^https?:|[{}<>]/.test(value) || testEnvironment.test(value))
    return false;
  return new Set(value).size >= 8;
}

function unescaped(value: string): string {
  try {
    return String(JSON.parse(`"${value}"`));
  } catch {
    return value;
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll("+", " "));
  } catch {
    return value;
  }
}
