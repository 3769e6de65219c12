/**
 * Upper bound of the steps that a pattern is written out to, for RE2 repeats a part as often as its count says:
 * `(a{30}){30}` is nine hundred. Read before RE2 compiles the pattern, whose time and memory grow with that number.
 */
export function countSteps(pattern: string): number {
  const open: { total: number; last: number }[] = [];
  let here = { total: 0, last: 0 };
  let at = 0;
  const add = (steps: number) => {
    here.total += steps;
    here.last = steps;
  };
  while (at < pattern.length) {
    const rest = pattern.slice(at);
    const [count, least = "0", comma, most = ""] = /^\{(\d+)(,(\d*))?\}/.exec(rest) ?? [];
    if (count !== undefined) {
      const times = comma === undefined || most === "" ? Number(least) + 1 : Number(most);
      here.total += here.last * (times - 1);
      here.last *= times;
      at += count.length;
    } else if (rest.startsWith("(")) {
      open.push(here);
      here = { total: 1, last: 0 };
      at += 1;
    } else if (rest.startsWith(")")) {
      const { total } = here;
      here = open.pop() ?? here;
      add(total);
      at += 1;
    } else {
      at += lengthOfAtom(rest);
      add(1);
    }
  }
  return open.reduce((sum, { total }) => sum + total, here.total);
}

const escaped = /^\\(?:[pPx]\{[^}]*\}|[\s\S])/;
const namedClass = /^\[:\^?[a-z]+:\]/;

function lengthOfAtom(rest: string): number {
  if (rest.startsWith("[")) return lengthOfClass(rest);
  return (escaped.exec(rest) ?? [" "])[0].length;
}

/** Of `[…]`; one that is not closed counts as a character. */
function lengthOfClass(rest: string): number {
  let at = rest[1] === "^" ? 2 : 1;
  if (rest[at] === "]") at += 1;
  while (at < rest.length && rest[at] !== "]") {
    const part = rest.slice(at);
    at += (escaped.exec(part) ?? namedClass.exec(part) ?? [" "])[0].length;
  }
  return at < rest.length ? at + 1 : 1;
}
