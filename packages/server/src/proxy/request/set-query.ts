/** The endpoint with these parameters; its own of the same names are replaced, others stay as written. */
export function setQuery(endpoint: string, query: readonly (readonly [string, string])[]): string {
  if (query.length === 0) return endpoint;
  const [path = "", own = ""] = split(endpoint);
  const replaced = new Set(query.map(([name]) => name));
  const kept = own.split("&").filter((pair) => pair !== "" && !replaced.has(nameOf(pair)));
  const set = query.map((pair) => pair.map(encodeURIComponent).join("="));
  return `${path}?${[...kept, ...set].join("&")}`;
}

function split(endpoint: string): [path: string, query: string] {
  const at = endpoint.indexOf("?");
  return at === -1 ? [endpoint, ""] : [endpoint.slice(0, at), endpoint.slice(at + 1)];
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? "";
}
