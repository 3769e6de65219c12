/** Numbers that a provider gives the webhooks of a connection, one after the other. */
export interface Sequence {
  highest: number;
  /** Numbers that have not come, as ranges with both ends, the lowest first. */
  missing: [first: number, last: number][];
  /** Of what is not in `missing` for want of room. */
  missingMore: number;
  repeated: number;
}

const MOST_RANGES = 50;
/** A larger step is another sequence, as after a new subscription. */
const LARGEST_STEP = 1_000_000;

/** The sequence with the next number; changes it in place. */
export function addNumber(known: Sequence | undefined, number: number): Sequence {
  const sequence = known ?? { highest: number - 1, missing: [], missingMore: 0, repeated: 0 };
  const step = number - sequence.highest;
  if (Math.abs(step) > LARGEST_STEP) {
    return { ...sequence, highest: number };
  }
  if (step <= 0) {
    if (!fill(sequence, number)) sequence.repeated += 1;
    return sequence;
  }
  if (step > 1) addMissing(sequence, [sequence.highest + 1, number - 1]);
  sequence.highest = number;
  return sequence;
}

function addMissing(sequence: Sequence, range: [number, number]): void {
  sequence.missing.push(range);
  if (sequence.missing.length <= MOST_RANGES) return;
  const [first] = sequence.missing.splice(0, 1);
  if (first !== undefined) sequence.missingMore += first[1] - first[0] + 1;
}

/** Whether the number was missing; it came late then. */
function fill(sequence: Sequence, number: number): boolean {
  const at = sequence.missing.findIndex(([first, last]) => number >= first && number <= last);
  const range = sequence.missing[at];
  if (range === undefined) return false;
  const [first, last] = range;
  const left: [number, number][] = [];
  if (first < number) left.push([first, number - 1]);
  if (number < last) left.push([number + 1, last]);
  sequence.missing.splice(at, 1, ...left);
  return true;
}

/** How many numbers have not come. */
export function countMissing({ missing, missingMore }: Sequence): number {
  return missing.reduce((sum, [first, last]) => sum + last - first + 1, missingMore);
}

/** The number at a JSON pointer of a payload, such as `/SequenceNumber`; undefined where it has none. */
export function readNumber(payload: unknown, pointer: string): number | undefined {
  let value = payload;
  for (const segment of pointer.split("/").slice(1)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = Reflect.get(value, name);
  }
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}
