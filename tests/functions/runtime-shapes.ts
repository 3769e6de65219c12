import { limitsOfMessage } from "@jackfield/contract/frame-limits";
import { type RuntimeMethod, runtimeMethods } from "@jackfield/contract/runtime";

/** One call as a forging process sends it. */
export interface ForgedCall {
  readonly name: string;
  readonly method: string;
  /** JSON text, or what only looks like it. */
  readonly params: string;
  /** Repeated to make the body. */
  readonly body?: {
    readonly head: string;
    readonly unit: string;
    readonly times: number;
    readonly tail: string;
  };
}

type Shape = (room: { bytes: number; values: number }) => string;

const repeated = (unit: string, times: number) => unit.repeat(Math.max(0, Math.floor(times)));

function listOf(unit: string, { bytes, values }: { bytes: number; values: number }): string {
  const perItem = 1 + (unit.match(/[:[{,]/g)?.length ?? 0);
  const times = Math.min(bytes / (unit.length + 1), values / perItem) - 2;
  return `[${repeated(`${unit},`, times)}null]`;
}

/** Values that are right for no field, each as large as there is room. */
export const shapes: Readonly<Record<string, Shape>> = {
  wide: ({ bytes, values }) => {
    const count = Math.max(0, Math.floor(Math.min(bytes / 14, values - 2)));
    return `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")}}`;
  },
  deep: ({ values }) => {
    const depth = Math.max(1, Math.min(200, values - 1));
    return "[".repeat(depth) + "]".repeat(depth);
  },
  text: ({ bytes }) => `"${repeated("x", bytes - 2)}"`,
  escapes: ({ bytes }) => `"${repeated("\\u0001", bytes / 6 - 2)}"`,
  numbers: (room) => listOf("-1.7976931348623157e+308", room),
  digits: ({ bytes }) => repeated("9", bytes),
  lists: (room) => listOf("[]", room),
  objects: (room) => listOf('{"a":[{}]}', room),
  texts: (room) => listOf('"-"', room),
  duplicates: ({ bytes, values }) =>
    `{${repeated('"a":{},', Math.min(bytes / 7, values) - 2)}"a":0}`,
  separators: ({ bytes }) => `"${repeated("/-.,", bytes / 4 - 2)}"`,
};

/** Every shape in each of a method's fields, of so large a share of what its messages may hold. */
export function callsOf(method: RuntimeMethod, share: number): ForgedCall[] {
  const { headBytes, values } = limitsOfMessage("call", method);
  const names = Object.keys(runtimeMethods[method].params.shape);
  const fields = Math.max(1, names.length);
  const bytes = (headBytes * share - 400) / fields - 40;
  const room = { bytes, values: (values * share - 12) / fields };
  return Object.entries(shapes).map(([name, shape]) => {
    const members = (names.length === 0 ? ["x"] : names).map(
      (field) => `"${field}":${shape(room)}`,
    );
    return { name: `${method} ${name}`, method, params: `{${members.join(",")}}` };
  });
}

const ids = Array.from({ length: 1000 }, (_, n) => `"${n}${"i".repeat(250)}"`).join(",");

/** Calls whose parameters are right, so that what answers them is reached. */
export const rightCalls: readonly ForgedCall[] = [
  {
    name: "log at its limits",
    method: "log",
    params: `{"level":"info","message":"${"m".repeat(10_000)}","meta":${shapes["wide"]?.({ bytes: 95_000, values: 30_000 })}}`,
  },
  {
    name: "log of what looks like tokens",
    method: "log",
    params: `{"level":"info","message":"${"-eyJ".repeat(2500)}","meta":{"text":"${"-eyJ".repeat(20_000)}"}}`,
  },
  {
    name: "metadata at its limit",
    method: "setMetadata",
    params: `{"mode":"replace","metadata":${shapes["wide"]?.({ bytes: 60_000, values: 30_000 })}}`,
  },
  {
    name: "ids at their limits",
    method: "batchDelete",
    params: `{"model":"Contact","ids":[${ids}]}`,
  },
  ...["[]", "0", '""', '{"a":0}', "[[[]]]", "1e-9"].map((unit) => ({
    name: `a record of ${unit}`,
    method: "batchSave",
    params: '{"model":"Contact","ids":["1"]}',
    body: {
      head: '{"id":"2","list":[',
      unit: `${unit},`,
      times: (4 * 1024 * 1024) / (unit.length + 1),
      tail: "0]}",
    },
  })),
  {
    name: "many lines",
    method: "batchSave",
    params: `{"model":"Contact","ids":[${ids}]}`,
    body: { head: "", unit: "{}\n", times: 1_000_000, tail: "" },
  },
  {
    name: "an input of lists",
    method: "triggerAction",
    params: '{"providerConfigKey":"crm","connectionId":"nobody","actionName":"none"}',
    body: { head: "[", unit: "[],", times: 2_000_000, tail: "0]" },
  },
  {
    name: "an input past the limit",
    method: "triggerAction",
    params: '{"providerConfigKey":"crm","connectionId":"nobody","actionName":"none"}',
    body: { head: "[", unit: "[],", times: 4_000_000, tail: "0]" },
  },
];
