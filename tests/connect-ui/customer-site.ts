import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { listen } from "./reverse-proxy.ts";

/** A customer's web site that uses the browser client; every path but its modules is one page. */
export interface CustomerSite extends AsyncDisposable {
  readonly origin: string;
}

const modules = new URL("../../packages/frontend/src/", import.meta.url);

// What happens is written into `window.seen`, where tests read it.
const page = `<!doctype html>
<title>Customer</title>
<main><button id="go">Go</button></main>
<script type="module">
  import { Jackfield } from "/frontend/index.ts";
  window.seen = [];
  window.Jackfield = Jackfield;
  addEventListener("message", ({ origin, data }) => window.seen.push({ origin, data }));
  // The work runs within the click, as a customer's own handler does.
  document.querySelector("#go").onclick = () => {
    window.result = window.work().then(
      (value) => ({ value }),
      ({ name, type, message }) => ({ error: { name, type, message } }),
    );
  };
  document.title = "Ready";
</script>`;

export async function startCustomerSite(): Promise<CustomerSite> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer({ url = "/" }: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = /^\/frontend\/([a-z-]+\.ts)$/.exec(url)?.[1];
  if (name === undefined) {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    return;
  }
  const source = await readFile(new URL(name, modules), "utf8");
  const code = stripTypeScriptTypes(source);
  response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(code);
}
