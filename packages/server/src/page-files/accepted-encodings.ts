/** Encodings that a client takes (RFC 9110, section 12.5.3); one with a weight of 0 it does not. */
export function listAccepted(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? "")
    .split(",")
    .map((item) => item.split(";").map((part) => part.trim()))
    .filter(([, weight = "q=1"]) => Number(weight.replace("q=", "")) > 0)
    .map(([name = ""]) => name);
}
