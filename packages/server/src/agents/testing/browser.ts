/** A browser without scripts: it keeps cookies by the path they are for, and follows redirects. */
export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  /** Follows redirects until an answer is none, or leads to an address that begins with `until`. */
  async open(address: string | URL, until = "none:"): Promise<Visit> {
    let url = new URL(address);
    let answer = await this.#send(url);
    for (let hops = 0; hops < 20; hops += 1) {
      const location = answer.headers.get("location");
      if (location === null) break;
      url = new URL(location, url);
      if (url.href.startsWith(until)) return { url, status: answer.status, text: "" };
      await answer.body?.cancel();
      answer = await this.#send(url);
    }
    return { url, status: answer.status, text: await answer.text() };
  }

  /** Presses a button of the page's only form. */
  async press(page: Visit, decision: string, until = "none:"): Promise<Visit> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1];
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined || ticket === undefined) throw new Error(`no form in ${page.text}`);
    const body = new URLSearchParams({ ticket, decision });
    const answer = await this.#send(new URL(action), { method: "POST", body });
    const location = answer.headers.get("location");
    const text = await answer.text();
    if (location === null) return { url: new URL(action), status: answer.status, text };
    return await this.open(new URL(location, action), until);
  }

  async #send(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
    const answer = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), accept: "text/html" },
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return answer;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/; */);
    const at = pair.indexOf("=");
    const path = attributes.find((each) => each.toLowerCase().startsWith("path="))?.slice(5) ?? "/";
    this.#cookies.set(pair.slice(0, at), { value: pair.slice(at + 1), path });
  }
}

export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}
