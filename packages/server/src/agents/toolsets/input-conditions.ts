/** What a rule asks of the arguments of a call. */
export type InputCondition = { readonly path: string } & (
  | { readonly op: "in"; readonly value: readonly (string | number | boolean)[] }
  | { readonly op: "matches"; readonly value: string }
  | { readonly op: "lte"; readonly value: number }
  | { readonly op: "domain_in"; readonly value: readonly string[] }
);

/** At one path; a call with more values there is held for one that does not fit. */
const MOST_VALUES = 1000;
const LONGEST_VALUE = 10_000;

/**
 * Whether all conditions hold. Where a path leads to several values, `every` asks it of each, `some` of one: what
 * allows a call is strict about it, what refuses one is not.
 */
export function holdConditions(
  conditions: readonly InputCondition[],
  input: unknown,
  quantity: "every" | "some",
): boolean {
  return conditions.every((condition) => {
    const values = valuesAt(input, condition.path);
    if (values.length > MOST_VALUES) return quantity === "some";
    const holds = (value: unknown) => holdsFor(condition, value, quantity);
    return quantity === "every" ? values.length > 0 && values.every(holds) : values.some(holds);
  });
}

/** By a JSON pointer in which `*` is every item of a list; a list at its end counts as its items, what is missing as undefined. */
function valuesAt(input: unknown, path: string): unknown[] {
  const names = path === "" ? [] : path.slice(1).split("/");
  let values: unknown[] = [input];
  for (const name of names) {
    const own = name.replaceAll("~1", "/").replaceAll("~0", "~");
    values = values.flatMap((value): unknown[] => {
      if (own === "*" && Array.isArray(value)) return value;
      const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, own);
      return [isThere ? Reflect.get(value, own) : undefined];
    });
  }
  return values.flatMap((value) => (Array.isArray(value) ? value : [value]));
}

function holdsFor(condition: InputCondition, value: unknown, quantity: "every" | "some"): boolean {
  const { op } = condition;
  if (op === "in") return condition.value.some((each) => each === value);
  if (op === "lte") return typeof value === "number" && value <= condition.value;
  if (typeof value !== "string" || value.length > LONGEST_VALUE) return false;
  if (op === "matches") return matchesPattern(value.toLowerCase(), condition.value.toLowerCase());
  const domains = new Set(condition.value.map((each) => each.toLowerCase()));
  const named = listDomains(value);
  const isListed = (domain: string | undefined) =>
    domain !== undefined && isWithin(domain, domains);
  return quantity === "every" ? named.every(isListed) : named.some(isListed);
}

/** `*` is any characters, `?` is one; in at most so many steps as both texts have characters multiplied. */
function matchesPattern(text: string, pattern: string): boolean {
  let [at, of, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (of < pattern.length && pattern[of] === "*") {
      star = of;
      of += 1;
      from = at;
    } else if (of < pattern.length && (pattern[of] === "?" || pattern[of] === text[at])) {
      at += 1;
      of += 1;
    } else if (star >= 0) {
      from += 1;
      at = from;
      of = star + 1;
    } else return false;
  }
  while (pattern[of] === "*") of += 1;
  return of === pattern.length;
}

/** Hosts of the addresses in a text, mail or web; undefined for a part that is neither. */
function listDomains(text: string): (string | undefined)[] {
  const parts = text.split(/[,;]/).map((part) => part.trim());
  return parts.filter((part, _, all) => part !== "" || all.length === 1).map(domainOf);
}

function domainOf(part: string): string | undefined {
  const bare = /^[^<>]*<([^<>]+)>$/.exec(part)?.[1] ?? part;
  if (/[\s<>"'()\\]/.test(bare)) return undefined;
  const host = /^https?:/i.test(bare)
    ? URL.parse(bare)?.hostname
    : hostOfMail(bare.replace(/^mailto:/i, ""));
  return host === undefined || host === "" ? undefined : host.replace(/\.$/, "");
}

function hostOfMail(address: string): string | undefined {
  const [local, domain, ...others] = address.split("@");
  if (local === "" || domain === undefined || others.length > 0) return undefined;
  return /^[\p{L}\p{N}.-]+$/u.test(domain) ? URL.parse(`http://${domain}`)?.hostname : undefined;
}

function isWithin(domain: string, domains: ReadonlySet<string>): boolean {
  const labels = domain.split(".");
  return labels.some((_, index) => domains.has(labels.slice(index).join(".")));
}
