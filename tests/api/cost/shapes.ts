/** What a request costs its server more by than by its bytes: texts of JSON, or parts of a head. */
export interface Asked {
  readonly shape: ShapeName;
  /** About so many bytes. */
  readonly bytes: number;
  /** No more values than these. */
  readonly values: number;
  /** A body that the route's schema describes. */
  readonly sample: unknown;
  /** Names of members that the schema knows. */
  readonly names: readonly string[];
}

const separators = ["-", "/", ",", ":", "::", ".", "@a.", " ", "\\\\", "\\u0041", "eyJ", "{{a}}"];

type Make = (asked: Asked) => string;

const shapes = {
  wide: ({ bytes, values }) => `{${list(bytes, values, (at) => `"k${at}":1`)}}`,
  flat: ({ bytes, values }) => `[${list(bytes, values, () => "1")}]`,
  deep: ({ bytes }) => "[".repeat(bytes),
  "arrays of arrays": ({ bytes, values }) =>
    `[${list(bytes, values / 50, () => `${"[".repeat(48)}${"]".repeat(48)}`)}]`,
  "one long text": ({ bytes }) => `"${"x".repeat(bytes)}"`,
  "known names with long texts": ({ bytes, names }) =>
    members(names, (at) => {
      const separator = separators[at % separators.length] ?? "-";
      return `"${separator.repeat(bytes / Math.max(1, names.length) / separator.length)}"`;
    }),
  "known names with lists": (asked) =>
    members(asked.names, () => `[${list(...shareOf(asked), (at) => `{"k${at % 100}":null}`)}]`),
  "known names with maps": (asked) =>
    members(asked.names, () => `{${list(...shareOf(asked), (at) => `"- ${at}":[null]`)}}`),
  "a sample with lists": (asked) => fill(asked, (share) => `[${list(...share, () => "[]")}]`),
  "a sample with maps": (asked) =>
    fill(asked, (share) => `{${list(...share, (at) => `"k${at}":{}`)}}`),
  // What is valid costs more than what is refused.
  "compiled functions": ({ bytes, names }) => makeUpload(bytes / 10, names.includes("functions")),
  "one name again and again": ({ bytes, values }) => `{${list(bytes, values, () => '"a":1')}}`,
  "huge numbers": ({ bytes, values }) => `[${list(bytes, values, () => "1".repeat(5000))},1e999]`,
  "long names": ({ bytes, values }) =>
    `{${list(bytes, values, (at) => `"${"providr_config_key".repeat(50)}${at}":1`)}}`,
  escapes: ({ bytes }) => `{"a":"${"\\u0041".repeat(bytes / 6)}"}`,
  "not JSON": ({ bytes, values }) => `{${list(bytes, values, (at) => `"k${at}":1`)},}`,
  "not UTF-8": ({ bytes }) => `"${"x".repeat(bytes - 10)}\uffff"`,
} as const satisfies Readonly<Record<string, Make>>;

export type ShapeName = keyof typeof shapes;

export const shapeNames: readonly ShapeName[] = Object.keys(shapes).filter(
  (name): name is ShapeName => name in shapes,
);

export function makeBody(asked: Asked): string {
  return shapes[asked.shape](asked);
}

/** Items with commas between them, until the bytes or the values are used up. */
function list(bytes: number, values: number, item: (at: number) => string): string {
  const items: string[] = [];
  let size = 0;
  for (let at = 0; at < values * 0.45; at += 1) {
    const next = item(at);
    size += next.length + 1;
    if (size > bytes) break;
    items.push(next);
  }
  return items.join(",");
}

/** Ten functions, as they are deployed or as a bundle. */
function makeUpload(bytesOfEach: number, isBundle: boolean): string {
  const line = 'const text = "a\\tb";\n';
  const fileBody = { js: line.repeat(bytesOfEach / 30 / 2), ts: line.repeat(bytesOfEach / 30 / 2) };
  const flows = Array.from({ length: 10 }, (_, at) =>
    isBundle
      ? { name: `f${at}`, integrationId: "crm", trigger: { kind: "none" }, fileBody }
      : {
          type: "action",
          syncName: `f${at}`,
          providerConfigKey: "crm",
          models: [],
          runs: null,
          fileBody,
        },
  );
  return JSON.stringify(
    isBundle
      ? { reconciliationScope: { kind: "environment" }, functions: flows }
      : { flowConfigs: flows, reconcile: false },
  );
}

function members(names: readonly string[], value: (at: number) => string): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${value(at)}`).join(",")}}`;
}

function shareOf({ bytes, values, names }: Asked): [bytes: number, values: number] {
  const parts = Math.max(1, names.length);
  return [bytes / parts - 40, values / parts - 5];
}

/** The sample with what is a list, a map or anything in it made large. */
function fill(asked: Asked, large: (share: [number, number]) => string): string {
  const sample = Object.entries(Object(asked.sample));
  const isFree = (value: unknown) => typeof value === "object" || value === "x";
  const free = Math.max(1, sample.filter(([, value]) => isFree(value)).length);
  const share: [number, number] = [asked.bytes / free - 100, asked.values / free - 20];
  const entries = sample.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${isFree(value) ? large(share) : JSON.stringify(value)}`,
  );
  return `{${entries.join(",")}}`;
}
