import { webhookEventIds } from "@jackfield/catalogue";
import { connectCalls } from "./provider-calls.ts";
import { type EntryField, type ProviderEntry, verificationPath } from "./provider-entry.ts";

/** What to know of a provider before connecting to it, made from its entry alone. */
export function writeProviderPage(entry: ProviderEntry): string {
  return [
    `# ${entry.display_name}`,
    "",
    ...describe(entry),
    ...writeRegistration(entry),
    ...writeFields("Fields of the connection", {
      ...entry.connection_config,
      ...entry.credentials,
    }),
    ...writeFields("Fields of the integration", entry.integration_config ?? {}),
    ...writeScopes(entry),
    ...connectCalls(entry),
    ...writeFacts(entry),
    ...writeTraps(entry),
  ].join("\n");
}

function describe({
  id,
  auth_mode: mode,
  docs,
  categories,
  checked_at: checked,
}: ProviderEntry): string[] {
  return [
    `Provider \`${id}\`, auth mode [\`${mode}\`](../auth-modes.md), categories: ${categories.join(", ")}. [Documentation of the provider](${docs}).${checked === undefined ? "" : ` The entry was checked on ${checked}.`}`,
    "",
  ];
}

const redirecting = new Set([
  "OAUTH1",
  "OAUTH2",
  "APP",
  "CUSTOM",
  "TBA",
  "MCP_OAUTH2",
  "MCP_OAUTH2_GENERIC",
]);

function writeRegistration({ auth_mode: mode, docs }: ProviderEntry): string[] {
  if (mode.startsWith("MCP_")) {
    return [
      "## Register",
      "",
      "The client registers itself if the MCP server allows it. Otherwise register a client at the provider, with the callback URL `<SVC_SERVER_URL>/oauth/callback`.",
      "",
    ];
  }
  if (!redirecting.has(mode)) return [];
  return [
    "## Register an app",
    "",
    `Register an app at the provider ([documentation](${docs})) with this callback URL, where \`SVC_SERVER_URL\` is the public address of your server:`,
    "",
    "```text",
    "<SVC_SERVER_URL>/oauth/callback",
    "```",
    "",
    "On your own machine it is `http://127.0.0.1:3003/oauth/callback`. If the provider accepts only `https`, put a tunnel or a reverse proxy in front of the server and set `SVC_SERVER_URL` to its URL.",
    "",
  ];
}

function writeFields(title: string, fields: Readonly<Record<string, EntryField>>): string[] {
  const asked = Object.entries(fields).filter(([, { automated }]) => automated !== true);
  if (asked.length === 0) return [];
  const rows = asked.map(([name, field]) => {
    const marks = [field.optional ? "optional" : "required", ...(field.secret ? ["secret"] : [])];
    const whole = `${field.prefix ?? ""}${field.example ?? ""}${field.suffix ?? ""}`;
    const example =
      field.example === undefined
        ? ""
        : ` For example \`${field.example}\`${whole === field.example ? "" : `, of \`${whole}\``}.`;
    return `| \`${name}\` | ${marks.join(", ")} | ${toCell(`${field.title ?? ""}. ${field.description ?? ""}${example}`)} |`;
  });
  return [`## ${title}`, "", "| name | | meaning |", "|---|---|---|", ...rows, ""];
}

function writeScopes({
  required_scopes: required = [],
  example_scopes: examples = [],
  auth_mode: mode,
}: ProviderEntry): string[] {
  if (!["OAUTH2", "OAUTH2_CC", "MCP_OAUTH2"].includes(mode)) return [];
  const always = required.length === 0 ? [] : [`Always requested: ${toCodes(required)}.`];
  const some = examples.length === 0 ? [] : [`Examples: ${toCodes(examples)}.`];
  const text = [
    ...always,
    ...some,
    "The provider's documentation says which scopes a call needs. Set them in `credentials.scopes` of the integration, separated by commas.",
  ];
  return ["## Scopes", "", text.join(" "), ""];
}

function writeFacts(entry: ProviderEntry): string[] {
  const { webhooks, pagination, retry, verification } = entry;
  const path = verificationPath(entry);
  const facts: [string, string | undefined][] = [
    ["Base URL", toAddresses(entry.base_url)],
    ["Authorization URL", toAddresses(entry.authorization_url)],
    ["Token URL", toAddresses(entry.token_url)],
    ["PKCE", entry.pkce === undefined ? undefined : `\`${entry.pkce}\``],
    [
      "Credentials are checked with",
      path === undefined ? undefined : `\`${verification?.method ?? "GET"} ${path}\``,
    ],
    ["Webhooks", describeWebhooks(webhooks)],
    ["Pagination", pagination === undefined ? undefined : toSettings(pagination)],
    ["Rate limits are read from", retry === undefined ? undefined : toSettings(retry)],
    [
      "Deleting a connection",
      entry.revocation === undefined ? undefined : "also ends its tokens at the provider",
    ],
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`| ${name} | ${value} |`],
  );
  return [
    "## Facts",
    "",
    "| | |",
    "|---|---|",
    ...rows,
    "",
    "A function that calls `svc.paginate` without settings uses the pagination above. The proxy and functions follow the provider's headers when they wait.",
    "",
  ];
}

function describeWebhooks(webhooks: ProviderEntry["webhooks"]): string {
  if (webhooks?.router === undefined)
    return "stored and forwarded unchanged, without a known signature";
  const matched =
    webhooks.matched === false
      ? "; its events do not name the connection ([how to match them](../webhooks.md))"
      : ", matched to the connection";
  const ids = webhookEventIds[webhooks.router]?.map(
    (place) => `\`${place.replace("header:", "")}\``,
  );
  const repeated =
    ids === undefined
      ? "; its events have no id by which repetitions could be recognized"
      : `; repetitions are recognized by ${ids.join(", ")}`;
  return `verified and read by the router \`${webhooks.router}\`${matched}${repeated}`;
}

function writeTraps(entry: ProviderEntry): string[] {
  const traps = [
    ...(entry.deprecated === undefined ? [] : [`Deprecated: ${entry.deprecated.reason}`]),
    ...(entry.unverified === true
      ? [
          "At least one fact of this entry has only one source. Make a test connection before you build on it.",
        ]
      : []),
    ...(entry.base_url === undefined || [entry.base_url].flat().every((url) => !url.includes("{{"))
      ? []
      : [
          "The base URL depends on the connection: a wrong value in its fields leads to another customer's host or to a host that does not exist.",
        ]),
    ...(entry.scope_separator === undefined
      ? []
      : [
          `The provider separates scopes with \`${entry.scope_separator}\`; the server converts them.`,
        ]),
    ...(entry.authorization_params === undefined
      ? []
      : [`Always sent when the end user authorizes: ${toSettings(entry.authorization_params)}.`]),
    ...(entry.auth_mode === "OAUTH2" &&
    entry.required_scopes?.some((scope) => /offline|refresh/.test(scope)) === true
      ? [
          "Without its scope for offline access, the provider issues no refresh token; the server always requests it.",
        ]
      : []),
  ];
  return traps.length === 0
    ? []
    : ["## Known pitfalls", "", ...traps.map((trap) => `- ${trap}`), ""];
}

function toAddresses(address: string | readonly string[] | undefined): string | undefined {
  return address === undefined
    ? undefined
    : [address]
        .flat()
        .map((url) => `\`${url}\``)
        .join(" or ");
}

function toSettings(settings: Readonly<Record<string, unknown>>): string {
  return Object.entries(settings)
    .map(
      ([name, value]) =>
        `\`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}\``,
    )
    .join(", ");
}

function toCodes(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(", ");
}

function toCell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s+/g, " ")
    .replace(/^\. /, "")
    .replaceAll(/\.{2,}/g, ".")
    .replace("?.", "?")
    .trim();
}
