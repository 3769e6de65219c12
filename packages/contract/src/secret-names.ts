const WORDS =
  "(?:access|refresh|id|auth|session|bearer)[-_]?token|client[-_]?secret|password|passwd|secret|api[-_]?key|private[-_]?key|authorization|cookie|token|signature";
const SNAKE = new RegExp(`^(?:.*[-_.])?(?:${WORDS})$`, "i");
const CAMEL = /[a-z0-9](?:Token|Secret|Password|ApiKey|PrivateKey)$/;
/** Cursors of lists, which are needed to continue. */
const PAGE = /(?:page|next|prev|previous|sync|cursor|continuation)[-_]?token$/i;

/** Whether a field, parameter or header of this name holds a credential: `token`, `x-api-key`, `botToken`. */
export function isSecretName(name: string): boolean {
  return (SNAKE.test(name) || CAMEL.test(name)) && !PAGE.test(name);
}
