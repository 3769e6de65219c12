import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

/** The first owner of a server, as a browser that has signed in. */
export interface OwnerSession {
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** What every call of the page carries. */
  readonly headers: Readonly<Record<string, string>>;
  post(path: string, body: object): Promise<void>;
}

const signedIn = z.object({ data: z.object({ csrf_token: z.string() }) });
const OWNER = { email: "ada@example.com", name: "Ada", password: "engines weave algebra" };
const sameOrigin = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

/** By the link of the first start, which a server without a terminal writes into its folder. */
export async function signInOwner(url: string, dataDir: string): Promise<OwnerSession> {
  const link = await readFile(join(dataDir, "setup-link"), "utf8");
  const token = link.trim().split("#")[1];
  const response = await fetch(`${url}/auth/setup`, {
    method: "POST",
    headers: sameOrigin,
    body: JSON.stringify({ token, ...OWNER }),
  });
  const { data } = signedIn.parse(await response.json());
  const cookies = response.headers.getSetCookie().map((line) => {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    return [name, value] as const;
  });
  const headers = {
    ...sameOrigin,
    cookie: cookies.map(([name, value]) => `${name}=${value}`).join("; "),
    "svc-csrf": data.csrf_token,
    "svc-environment": "dev",
  };
  return {
    cookies,
    headers,
    async post(path, body) {
      const answer = await fetch(`${url}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
  };
}
