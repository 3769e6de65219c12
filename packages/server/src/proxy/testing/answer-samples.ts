import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** An answer as a provider may give it. */
export interface Sample {
  readonly name: string;
  readonly method?: string;
  readonly status?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** How the upstream tells where the body ends; `none` for answers without one. */
  readonly framing?: "length" | "chunked" | "close" | "none";
  readonly trailers?: readonly string[];
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

const special: readonly Sample[] = [
  { name: "JSON", headers: ["Content-Type", "application/json"], body: '{"a":1}' },
  { name: "JSON that is none", headers: ["Content-Type", "application/json"], body: '{"a":' },
  { name: "no content type", body: "plain" },
  { name: "every byte", headers: ["content-type", "application/octet-stream"], body: everyByte },
  { name: "an empty body", body: "" },
  { name: "one byte", body: "x" },
  { name: "64 KiB less one", body: randomBytes(65_535) },
  { name: "64 KiB", body: randomBytes(65_536) },
  { name: "64 KiB and one", body: randomBytes(65_537) },
  { name: "1 MiB in chunks", body: randomBytes(1_048_576), framing: "chunked" },
  { name: "an empty chunked body", body: "", framing: "chunked" },
  { name: "a body that ends with the connection", body: "until close", framing: "close" },
  { name: "trailers", body: "a", framing: "chunked", trailers: ["X-Sum", "42", "x-b", "c"] },
  { name: "gzip, untouched", headers: ["Content-Encoding", "gzip"], body: gzipSync("hello") },
  { name: "brotli, untouched", headers: ["Content-Encoding", "br"], body: brotliCompressSync("x") },
  {
    name: "a wrong content encoding",
    headers: ["Content-Encoding", "gzip"],
    body: "not gzip at all",
  },
  {
    name: "three cookies in order",
    headers: ["Set-Cookie", "a=1; Path=/", "set-cookie", "b=2", "SET-COOKIE", "c=3"],
    body: "x",
  },
  { name: "odd spelling", headers: ["x-ODD-Name", "1", "ETag", 'W/"x"'], body: "x" },
  { name: "an empty header", headers: ["X-Empty", ""], body: "x" },
  { name: "Latin-1 in a header", headers: ["X-Name", "caf\u00e9 \u00ff"], body: "x" },
  { name: "a repeated header", headers: ["X-A", "1", "X-B", "2", "X-A", "3"], body: "x" },
  { name: "its own CORS headers", headers: ["Access-Control-Allow-Origin", "*"], body: "x" },
  { name: "its own date", headers: ["Date", "Mon, 01 Jan 2001 00:00:00 GMT"], body: "x" },
  { name: "its own server and vary", headers: ["Server", "s/1", "Vary", "A, B"], body: "x" },
  { name: "its own rate limits", headers: ["X-RateLimit-Remaining", "0"], body: "x" },
  { name: "a reason of its own", status: "200 All Is Well", body: "x" },
  { name: "no reason", status: "200 ", body: "x" },
  { name: "201", status: "201 Created", headers: ["Location", "/base/x/1"], body: "{}" },
  { name: "204", status: "204 No Content", framing: "none" },
  {
    name: "206",
    status: "206 Partial Content",
    headers: ["Content-Range", "bytes 0-1/5"],
    body: "ab",
  },
  { name: "301", status: "301 Moved Permanently", headers: ["Location", "https://a.b/"], body: "" },
  { name: "302", status: "302 Found", headers: ["Location", "//a.b/?x#y"], body: "moved" },
  { name: "303", status: "303 See Other", headers: ["Location", "other"], body: "" },
  { name: "304", status: "304 Not Modified", headers: ["ETag", '"1"'], framing: "none" },
  { name: "307", status: "307 Temporary Redirect", headers: ["Location", "/"], body: "" },
  { name: "308", status: "308 Permanent Redirect", headers: ["Location", "/"], body: "" },
  { name: "400", status: "400 Bad Request", body: '{"error":{"code":"invalid_body"}}' },
  { name: "401", status: "401 Unauthorized", headers: ["WWW-Authenticate", "Bearer"], body: "no" },
  { name: "404", status: "404 Not Found", body: "no" },
  { name: "418", status: "418 I'm a teapot", body: "short and stout" },
  { name: "429", status: "429 Too Many Requests", headers: ["Retry-After", "9"], body: "slow" },
  { name: "500", status: "500 Internal Server Error", body: "oops" },
  { name: "502 of its own", status: "502 Bad Gateway", body: "mine" },
  { name: "599", status: "599 Odd", body: "x" },
  { name: "HEAD", method: "HEAD", headers: ["Content-Length", "1234"], framing: "none" },
  { name: "HEAD without a length", method: "HEAD", headers: ["X", "y"], framing: "none" },
  { name: "HEAD of an error", method: "HEAD", status: "404 Not Found", framing: "none" },
  { name: "zstd, untouched", headers: ["Content-Encoding", "zstd"], body: zstdCompressSync("x") },
  {
    name: "deflate, untouched",
    headers: ["Content-Encoding", "deflate"],
    body: deflateSync("x"),
  },
  {
    name: "two encodings",
    headers: ["Content-Encoding", "gzip, br"],
    body: brotliCompressSync(gzipSync("x")),
    framing: "chunked",
  },
  {
    name: "server-sent events",
    headers: ["Content-Type", "text/event-stream", "Cache-Control", "no-cache"],
    body: ": hello\n\nid: 1\ndata: a\ndata: b\n\n",
    framing: "chunked",
  },
  {
    name: "several ranges",
    status: "206 Partial Content",
    headers: ["Content-Type", "multipart/byteranges; boundary=B"],
    body: "--B\r\nContent-Range: bytes 0-0/3\r\n\r\na\r\n--B--\r\n",
  },
  { name: "416", status: "416 Range Not Satisfiable", headers: ["Content-Range", "bytes */5"] },
  { name: "a download", headers: ["Content-Disposition", 'attachment; filename="a b"'], body: "x" },
  { name: "a link header", headers: ["Link", '<https://a.b/?page=2>; rel="next"'], body: "[]" },
  { name: "a header of 8 KB", headers: ["X-Long", "v".repeat(8000)], body: "x" },
  { name: "a hundred headers", headers: many("X-Many", 100), body: "x" },
  { name: "fifty cookies", headers: many("Set-Cookie", 50), body: "x" },
  { name: "its own timing", headers: ["Server-Timing", "db;dur=3"], body: "x" },
  {
    name: "headers that look like ours",
    headers: ["Connection-Id", "x", "Retries", "1"],
    body: "",
  },
  { name: "a tab and spaces within a value", headers: ["X-A", "a \t  b"], body: "x" },
  { name: "only CR and LF", body: "\r\n\r\n" },
  { name: "a chunk that looks like an end", body: "0\r\n\r\n", framing: "chunked" },
  { name: "a BOM", headers: ["Content-Type", "application/json"], body: "\ufeff{}" },
  { name: "big numbers and doubled keys", body: '{"a":12345678901234567890,"a":1e400}' },
  { name: "an empty 200 that ends with the connection", body: "", framing: "close" },
  { name: "an error that ends with the connection", status: "500 X", body: "x", framing: "close" },
];

function many(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => [name, `v${n}`]).flat();
}

const withoutBody = new Set([204, 304]);

/** Every status that is registered, and some that are not. */
const statuses = [
  ...[200, 202, 203, 205, 207, 208, 226, 299, 300, 305, 306, 399],
  ...[402, 403, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 417, 420, 421, 422, 423],
  ...[424, 425, 426, 428, 430, 431, 440, 444, 449, 450, 451, 460, 494, 498, 499],
  ...[501, 503, 504, 505, 506, 507, 508, 509, 510, 511, 520, 524, 529, 530, 598],
].map((status): Sample => {
  const hasBody = !withoutBody.has(status);
  return { name: `status ${status}`, status: `${status} S`, body: hasBody ? `n${status}` : "" };
});

export const samples: readonly Sample[] = [...special, ...statuses];

/** The bytes of an answer. */
export function toWire({
  status = "200 OK",
  headers = [],
  body = "",
  framing = "length",
  trailers = [],
}: Sample) {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, ...toLines(headers)];
  if (framing === "length") lines.push(`Content-Length: ${bytes.byteLength}`);
  if (framing === "close") lines.push("Connection: close");
  if (framing === "chunked") lines.push("Transfer-Encoding: chunked");
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (framing !== "chunked") return Buffer.concat([head, bytes]);
  const half = bytes.byteLength >> 1;
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter(
    (chunk) => chunk.length > 0,
  );
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)};ext=1\r\n`),
    chunk,
    Buffer.from("\r\n"),
  ]);
  const tail = ["0", ...toLines(trailers), "", ""].join("\r\n");
  return Buffer.concat([head, ...framed, Buffer.from(tail)]);
}

function toLines(flat: readonly string[]): string[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []));
}
