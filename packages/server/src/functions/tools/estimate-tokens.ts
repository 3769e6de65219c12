/** Bytes of JSON that are counted as one token; models differ. */
const BYTES_PER_TOKEN = 3.6;

/** About how many tokens a value takes in a model's context, as compact JSON. */
export function estimateTokens(value: unknown): number {
  return estimateTextTokens(JSON.stringify(value) ?? "");
}

export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The most bytes of text that this many tokens stand for. */
export function bytesOfTokens(tokens: number): number {
  return Math.floor(tokens * BYTES_PER_TOKEN);
}
