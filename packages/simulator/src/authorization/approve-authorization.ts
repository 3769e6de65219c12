const maximumRedirects = 10;

/**
 * Follows an authorization URL of a provider with automatic consent as a browser would, and gives
 * the address that the provider sends the user back to. Rejects when it shows a page instead.
 */
export async function approveAuthorization(authorizationUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  const { origin } = url;
  for (let count = 0; count < maximumRedirects; count += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    const location = response.headers.get("location");
    if (location === null) {
      const page = await response.text();
      const title = /<title>([^<]*)</.exec(page)?.[1] ?? "no title";
      throw new Error(
        `The provider showed a page (${response.status}, ${title}) instead of redirecting.`,
      );
    }
    await response.body?.cancel();
    rememberCookies(cookies, response.headers.getSetCookie());
    url = new URL(location, url);
    if (url.origin !== origin) return url;
  }
  throw new Error(`The provider redirected more than ${maximumRedirects} times.`);
}

function rememberCookies(cookies: Map<string, string>, setCookies: readonly string[]): void {
  for (const setCookie of setCookies) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
    if (name === undefined || value === undefined) continue;
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
}
