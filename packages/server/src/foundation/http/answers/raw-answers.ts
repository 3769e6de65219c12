import { STATUS_CODES } from "node:http";
import { type ErrorCode, errorTable } from "@jackfield/contract";

/** Answers to what is no request that a route could see, as bytes; the connection ends with them. */
export function toRawAnswer(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return TOO_SLOW;
  if (code === "HPE_HEADER_OVERFLOW") return HEAD_TOO_LARGE;
  return write("invalid_request");
}

function write(code: ErrorCode, status: number = errorTable[code][0], message?: string): string {
  const body = JSON.stringify({ error: { code, message: message ?? errorTable[code][1] } });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

export const TOO_SLOW = write("request_timeout");
const HEAD_TOO_LARGE = write("request_too_large", 431, "The head of the request is too large.");
