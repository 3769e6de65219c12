import { keysetCursor } from "#foundation";

export const logCursor = keysetCursor({ radix: 36, separator: "." });
