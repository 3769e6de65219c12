import { distance } from "fastest-levenshtein";

// So many letters may be wrong in a name that is still recognized, a third of it at most.
const WRONG_LETTERS = 4;

/** The known name that was probably meant; case, `_` and `-` do not count. Undefined when none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, "");
  const meant = plain(given.slice(0, 255));
  const [best] = known
    .map((name) => ({ name, plain: plain(name) }))
    // Each letter more or less is a wrong one, so most names need no comparison.
    .filter((candidate) => Math.abs(candidate.plain.length - meant.length) <= WRONG_LETTERS)
    .map((candidate) => ({ name: candidate.name, cost: distance(meant, candidate.plain) }))
    .toSorted((a, b) => a.cost - b.cost);
  if (best === undefined) return undefined;
  return best.cost <= Math.min(WRONG_LETTERS, best.name.length / 3) ? best.name : undefined;
}
