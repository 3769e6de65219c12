/** Whether scopes that somebody holds cover one that is needed; `prefix:*` covers all that begin so. */
export function holdsScope(held: readonly string[], needed: string): boolean {
  return held.some((scope) => {
    return scope === needed || (scope.endsWith(":*") && needed.startsWith(scope.slice(0, -1)));
  });
}
