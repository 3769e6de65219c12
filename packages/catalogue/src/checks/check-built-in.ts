import type { Field } from "../schema/values.ts";
import { type Provider, rulesOf } from "../schema.ts";

/** What the files of the product itself have to hold, beyond what any entry has to. */
export interface BuiltInFacts {
  /** Ids that were published once: they stay, if only deprecated. */
  readonly publishedIds: readonly string[];
  readonly hasIcon: (name: string) => boolean;
}

/** Faults of the built-in catalogue as a whole; each names its entry. */
export function checkBuiltIn(
  providers: readonly Provider[],
  { publishedIds, hasIcon }: BuiltInFacts,
): string[] {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  return [
    ...providers.flatMap((provider) =>
      [
        ...checkEvidence(provider),
        ...checkHelp(provider),
        ...checkHelpPage(provider),
        ...checkLinks(provider, byId),
        ...(provider.icon === undefined || hasIcon(provider.icon)
          ? []
          : [`simple-icons has no icon ${provider.icon}`]),
        ...(provider.icon !== undefined && provider.colour !== undefined
          ? ["has an icon, which brings its own colour: drop colour"]
          : []),
      ].map((fault) => `${provider.id}: ${fault}`),
    ),
    ...checkTwins(providers),
    ...checkNames(providers),
    ...checkPopular(providers),
    ...publishedIds
      .filter((id) => !byId.has(id))
      .map((id) => `${id}: was published; keep it, and mark it deprecated`),
  ];
}

/** Entries without a vendor of their own: the people who configure them know the facts. */
function isGeneric(provider: Provider): boolean {
  const [first] = provider.base_url ?? [];
  return rulesOf(provider).isGeneric === true || first?.text.startsWith("{{integration.") === true;
}

/** A page of the vendor; the most requested providers need a second source as well. */
function checkEvidence(provider: Provider): string[] {
  const { sources, evidence, checked_at: checkedAt, unverified } = provider;
  const isAskedFor = provider.popular || provider.needs_second_source;
  const faults = provider.docs === undefined ? ["has no docs"] : [];
  if (isGeneric(provider)) return faults;
  if (checkedAt === undefined) faults.push("has no checked_at");
  if (sources.length === 0) faults.push("names no source");
  const known = new Set([...sources, ...Object.values(evidence).flat()]);
  if (isAskedFor && !unverified && known.size < 2) {
    faults.push("is asked for much, so it needs a second source or unverified");
  }
  return faults;
}

/** A form has to say what a value looks like and where to find it. */
function checkHelp(provider: Provider): string[] {
  const needed = isGeneric(provider) ? [] : (rulesOf(provider).asks ?? []);
  const missing = needed
    .filter((name) => !Object.hasOwn(provider.credentials, name))
    .map((name) => `credentials.${name} is asked for without help: declare it`);
  const groups = {
    integration_config: provider.integration_config,
    connection_config: provider.connection_config,
    credentials: provider.credentials,
  };
  const silent = Object.entries(groups).flatMap(([group, fields]) =>
    Object.entries(fields)
      .filter(([, field]) => isAsked(field) && field.description === undefined)
      .map(([name]) => `${group}.${name} has no description`),
  );
  return isGeneric(provider) ? [] : [...missing, ...silent];
}

/** The connect page links this page for every end user, so it cannot depend on an account. */
function checkHelpPage({ docs, docs_connect: page }: Provider): string[] {
  if (page === undefined) return [];
  const { username, password, port, search } = new URL(page);
  const isPlain = [username, password, port, search].every((part) => part === "");
  return [
    ...(isPlain && !page.includes("{{")
      ? []
      : ["docs_connect must be a page without user, port, query and placeholders"]),
    ...(page === docs ? ["docs_connect is docs: drop it"] : []),
  ];
}

function isAsked({ automated, hidden }: Field): boolean {
  return !automated && !hidden;
}

function checkLinks(
  { same_as: sameAs, deprecated }: Provider,
  byId: ReadonlyMap<string, Provider>,
): string[] {
  return [sameAs, deprecated?.replaced_by]
    .filter((id) => id !== undefined && !byId.has(id))
    .map((id) => `names ${id}, which does not exist`);
}

/** Two entries with the same addresses are one too many, unless one says why. */
function checkTwins(providers: readonly Provider[]): string[] {
  const seen = new Map<string, string>();
  return providers.flatMap((provider) => {
    if (isGeneric(provider) || provider.same_as !== undefined) return [];
    const key = JSON.stringify([
      provider.auth_mode,
      ...listAddresses(provider),
      listChoices(provider),
    ]);
    const twin = seen.get(key);
    seen.set(key, provider.id);
    return twin === undefined
      ? []
      : [`${provider.id}: has the addresses of ${twin}; drop one or set same_as`];
  });
}

function listAddresses(provider: Provider): string[] {
  const fields = new Map<string, unknown>(Object.entries(provider));
  return ["authorization_url", "token_url", "base_url", "login"].map((name) =>
    JSON.stringify(fields.get(name) ?? null, (key, value: unknown) =>
      key === "parts" ? undefined : value,
    ),
  );
}

/** What a value may be that stands for a whole host: other values are another vendor's. */
function listChoices({ connection_config: fields }: Provider): unknown[] {
  return Object.values(fields).map(({ enum: choices, pattern, example }) => [
    choices,
    pattern,
    example,
  ]);
}

/** More than a reader takes in at once would be a second alphabet. */
const MOST_POPULAR = 40;

function checkPopular(providers: readonly Provider[]): string[] {
  const { length: count } = providers.filter(({ popular }) => popular);
  return count > MOST_POPULAR
    ? [`${count} providers are popular; ${MOST_POPULAR} may be, so that lists can show them first`]
    : [];
}

function checkNames(providers: readonly Provider[]): string[] {
  const seen = new Map<string, string>();
  return providers.flatMap(({ id, display_name: name }) => {
    const other = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), id);
    return other === undefined ? [] : [`${id}: is called ${name}, as ${other} is`];
  });
}
