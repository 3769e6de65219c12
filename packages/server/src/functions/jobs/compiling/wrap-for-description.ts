/**
 * A program for the sandbox whose output describes the function of `code`. Both texts are CommonJS; the function's
 * may do there what it likes, as in any run.
 */
export function wrapForDescription({
  describer,
  code,
  subject,
}: {
  readonly describer: string;
  readonly code: string;
  readonly subject: { readonly integrationId: string; readonly functionName: string };
}): string {
  const usesCheckpoints = /\.(get|save|clear)Checkpoint\b/.test(code);
  const facts = { ...subject, code: usesCheckpoints ? "svc.getCheckpoint" : "" };
  return `"use strict";
const describer = { exports: {} };
(function (module, exports, require) {
${describer}
})(describer, describer.exports, require);
const any = {
  safeParse: (data) => ({ success: true, data }),
  safeParseAsync: async (data) => ({ success: true, data }),
};
module.exports.default = {
  type: "action",
  input: any,
  output: any,
  exec: async () => {
    const own = { exports: {} };
    (function (module, exports, require) {
${code}
})(own, own.exports, require);
    return describer.exports.describeExports(own.exports, ${JSON.stringify(facts)});
  },
};
`;
}
