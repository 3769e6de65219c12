import { keysetCursor } from "#platform";

export const logCursor = keysetCursor({ radix: 36, separator: "." });
