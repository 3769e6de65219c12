import type { Settings } from "#foundation";

/** Which cookie holds the secret of a session. With TLS its prefix keeps other hosts of the domain from setting it. */
function cookieName(settings: Settings): string {
  return isSecure(settings) ? "__Host-jackfield" : "jackfield";
}

/** Without TLS only browsers on this machine are served, whose way here nobody else sees. */
export function isSecure({ dashboardUrl }: Settings): boolean {
  return dashboardUrl.startsWith("https:");
}

export function writeSessionCookie(
  settings: Settings,
  cookie: { readonly token: string; readonly maxAgeSeconds: number },
): string {
  const secure = isSecure(settings) ? "; Secure" : "";
  return `${cookieName(settings)}=${cookie.token}; Path=/; Max-Age=${cookie.maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Makes the browser forget it. */
export function clearSessionCookie(settings: Settings): string {
  return writeSessionCookie(settings, { token: "", maxAgeSeconds: 0 });
}

/** Whether the request comes from a browser that may have signed in. */
export function hasSessionCookie(header: string | undefined): boolean {
  return header !== undefined && /(?:^|;)\s*(?:__Host-)?jackfield=/.test(header);
}

/** The secret in a request's cookies; undefined without one, and with two, of which the right one is not known. */
export function readSessionCookie(
  settings: Settings,
  header: string | undefined,
): string | undefined {
  const prefix = `${cookieName(settings)}=`;
  const found = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  const [token] = found;
  return found.length === 1 && token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined;
}
