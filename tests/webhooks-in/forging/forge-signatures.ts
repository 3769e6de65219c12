import { createHash, createHmac } from "node:crypto";
import {
  type RouterCase,
  SECRET,
  TIME,
  type Trial,
} from "../../../packages/server/src/webhooks-in/testing/index.ts";

export type Sent = Trial["request"];

/** A request that its provider has not sent like this, by what is wrong with it. */
export type Forgeries = Readonly<Record<string, Sent>>;

export function withHeader(
  request: Sent,
  name: string | undefined,
  value: string | undefined,
): Sent {
  if (name === undefined) return request;
  const headers = Object.entries(request.headers).filter(([other]) => other !== name);
  if (value !== undefined) headers.push([name, value]);
  return { ...request, headers: Object.fromEntries(headers) };
}

/** The genuine signature, cut, lengthened or spelled as no provider spells it. */
export function respellSignature(each: RouterCase, request: Sent): Forgeries {
  const { header } = each;
  if (header === undefined) return {};
  const genuine = request.headers[header] ?? "";
  const last = genuine.slice(genuine.lastIndexOf(",") + 1);
  const isList = genuine.startsWith("v1=") && last !== genuine;
  const at = Math.max(genuine.lastIndexOf("="), genuine.lastIndexOf(",")) + 1;
  const spelled: Record<string, string | undefined> = {
    missing: undefined,
    empty: "",
    "a space": " ",
    "its first character": genuine.slice(0, 1),
    "its first half": genuine.slice(0, Math.floor(genuine.length / 2)),
    "its last half": genuine.slice(Math.floor(genuine.length / 2)),
    "all but its first character": genuine.slice(1),
    "all but its last character": genuine.slice(0, -1),
    "only what comes before it": genuine.slice(0, genuine.indexOf("=") + 1) || "v1=",
    "one character more": `${genuine}A`,
    "padding more": `${genuine}==`,
    "a NUL behind": `${genuine}\0`,
    "a NUL within": `${genuine.slice(0, at + 2)}\0${genuine.slice(at + 2)}`,
    quoted: `"${genuine}"`,
    "in angle brackets": `<${genuine}>`,
    "percent-encoded": [...genuine].map((mark) => `%${mark.charCodeAt(0).toString(16)}`).join(""),
    "base64 of it": Buffer.from(genuine).toString("base64"),
    "hex of it": Buffer.from(genuine).toString("hex"),
    reversed: [...genuine].toReversed().join(""),
    "zeros instead": genuine.replaceAll(/[0-9A-Za-z]/g, "0"),
    "its last character another": `${genuine.slice(0, -1)}${genuine.endsWith("0") ? "1" : "0"}`,
    undefined: "undefined",
    null: "null",
    true: "true",
    "an object": "[object Object]",
    "a wildcard": "*",
  };
  return Object.fromEntries(
    Object.entries(spelled)
      // Of several signatures one has to hold: where the genuine one stands last, it still does.
      .filter(([, text]) => text !== genuine && !(isList && text?.endsWith(last) === true))
      .map(([fault, text]) => [`signature: ${fault}`, withHeader(request, header, text)]),
  );
}

const ENCODINGS = ["hex", "base64", "base64url"] as const;
const PREFIXES = ["", "sha1=", "sha256=", "sha512=", "md5=", "v0=", "v1=", "v1,", "hmac-sha256="];

/** Signatures that anybody can make, and such as the right key makes by another algorithm or of another content. */
export function substituteSignature(each: RouterCase, request: Sent): Forgeries {
  const { header } = each;
  if (header === undefined || each.isToken === true) return {};
  const { body } = request;
  const digests: Record<string, Buffer> = {
    "the hash of the body": createHash("sha256").update(body).digest(),
    "the hash of nothing": createHash("sha256").digest(),
    "an empty key": createHmac("sha256", "").update(body).digest(),
    "the key `undefined`": createHmac("sha256", "undefined").update(body).digest(),
    "the key `null`": createHmac("sha256", "null").update(body).digest(),
    "md5 with the key": createHmac("md5", SECRET).update(body).digest(),
    "sha384 with the key": createHmac("sha384", SECRET).update(body).digest(),
    "sha512 with the key": createHmac("sha512", SECRET).update(body).digest(),
    "the key and an empty body": createHmac("sha256", SECRET).digest(),
    "the key and another body": createHmac("sha256", SECRET).update("{}").digest(),
    "the key in capitals": createHmac("sha256", SECRET.toUpperCase()).update(body).digest(),
    "the key with a space": createHmac("sha256", `${SECRET} `).update(body).digest(),
    "the key's first half": createHmac("sha256", SECRET.slice(0, 12)).update(body).digest(),
    "the body as key": createHmac("sha256", body).update(SECRET).digest(),
  };
  const forged: Record<string, Sent> = {};
  for (const [name, digest] of Object.entries(digests)) {
    for (const encoding of ENCODINGS) {
      for (const prefix of PREFIXES) {
        const text = prefix + digest.toString(encoding);
        forged[`instead: ${name}, ${encoding}, ${prefix}`] = withHeader(request, header, text);
      }
    }
  }
  return forged;
}

const bodyFaults: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  "a byte order mark": (body) => Buffer.concat([Buffer.from("\uFEFF"), body]),
  "a line more": (body) => Buffer.concat([body, Buffer.from("\n")]),
  "a line before": (body) => Buffer.concat([Buffer.from("\r\n"), body]),
  "a space more": (body) => Buffer.concat([body, Buffer.from(" ")]),
  "a NUL more": (body) => Buffer.concat([body, Buffer.of(0)]),
  "a byte less": (body) => body.subarray(0, -1),
  "nothing in it": () => Buffer.alloc(0),
  "an empty object": () => Buffer.from("{}"),
  "its first bit turned": (body) => turn(body, 0),
  "its middle bit turned": (body) => turn(body, Math.floor(body.byteLength / 2)),
  "its last bit turned": (body) => turn(body, body.byteLength - 1),
  "twice itself": (body) => Buffer.concat([body, body]),
  "UTF-16": (body) => Buffer.from(body.toString(), "utf16le"),
  "base64 of itself": (body) => Buffer.from(body.toString("base64")),
  "a key twice": (body) =>
    Buffer.from(body.toString().replace(/([}\]])$/, (end) => `,"id":"forged"${end}`)),
  "spaces between its members": (body) => Buffer.from(body.toString().replaceAll(",", ", ")),
  "escapes in place of letters": (body) => Buffer.from(body.toString().replace("e", "\\u0065")),
  "other capitals": (body) => Buffer.from(body.toString().toUpperCase()),
};

function turn(body: Buffer, index: number): Buffer {
  const copy = Buffer.from(body);
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
}

/** The genuine signature over a body that is not the one it was made for. */
export function changeBody(each: RouterCase, request: Sent): Forgeries {
  if (each.isToken === true || each.header === undefined) return {};
  return Object.fromEntries(
    Object.entries(bodyFaults)
      .map(([fault, change]) => [fault, change(request.body)] as const)
      .filter(([, body]) => !body.equals(request.body))
      .map(([fault, body]) => [`body: ${fault}`, { ...request, body }]),
  );
}

/** Signatures of another time, and times that are none. */
export function shiftTime(
  each: RouterCase,
  { request, unsigned }: Trial,
  signAt: (at: Date) => Record<string, string>,
): Forgeries {
  if (each.isTimed !== true) return {};
  const forged: Record<string, Sent> = {};
  for (const minutes of [-1_000_000, -120, -65, 65, 120, 1_000_000]) {
    const headers = signAt(new Date(TIME.getTime() + minutes * 60_000));
    forged[`time: ${minutes} minutes off`] = {
      ...unsigned,
      headers: { ...unsigned.headers, ...headers },
    };
  }
  const genuine = Object.keys(signAt(TIME)).filter((name) => name.includes("timestamp"));
  for (const name of genuine) {
    const times = ["", " ", "NaN", "Infinity", "-1", "0", "1e400", "0x7fffffff", "2099-01-01"];
    for (const time of times) forged[`time: ${time} as ${name}`] = withHeader(request, name, time);
    forged[`time: none as ${name}`] = withHeader(request, name, undefined);
    const now = request.headers[name];
    forged[`time: twice as ${name}`] = withHeader(request, name, `${now}, ${now}`);
  }
  if (each.header !== undefined && /^t=/.test(request.headers[each.header] ?? "")) {
    const text = request.headers[each.header] ?? "";
    const later = Math.floor(TIME.getTime() / 1000) + 60;
    for (const [fault, other] of Object.entries({
      "another time": text.replace(/t=\d+/, `t=${later}`),
      "another time first": `t=${later},${text}`,
      "no time": text.replace(/t=\d+,/, ""),
      "an older version": text.replace("v1=", "v0="),
      "no version": text.replace("v1=", "="),
    })) {
      forged[`time: ${fault}`] = withHeader(request, each.header, other);
    }
  }
  return forged;
}

/** The genuine signature under names that every object has, or under another header. */
export function renameHeader({ header }: RouterCase, request: Sent): Forgeries {
  if (header === undefined) return {};
  const genuine = request.headers[header] ?? "";
  const bare = withHeader(request, header, undefined);
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", `z-${header}`, "x"];
  const forged = Object.fromEntries(
    names.map((name) => [`under ${name}`, withHeader(bare, name, genuine)]),
  );
  const inherited = JSON.parse(JSON.stringify({ headers: bare.headers }));
  Object.setPrototypeOf(inherited.headers, { [header]: `${genuine}0` });
  return { ...forged, "in the prototype": { ...bare, headers: inherited.headers } };
}
