/** Names that tell of a quota in the dialects of providers; a cheap test, made for every header. */
export function isAboutQuota(name: string): boolean {
  return name.includes("rate") || name.includes("limit") || name === "retry-after";
}
