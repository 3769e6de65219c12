/** How a secret looks in the texts in which providers repeat what they were sent, besides as it is. */
export function listEncodedForms(secret: string): string[] {
  const text = secret.toWellFormed();
  const percent = encodeURIComponent(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, toUnicodeEscape);
  return [
    ...[percent, percent.replace(/%../g, (code) => code.toLowerCase())],
    form,
    ...[json, json.replaceAll("/", "\\/"), ascii, ascii.replaceAll("/", "\\/")],
    Buffer.from(text).toString("hex"),
    ...listBase64Forms(text),
  ];
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Alone or behind other bytes, as in `user:secret`: what of it does not depend on its neighbours. */
function listBase64Forms(text: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((kind) => bytes.toString(kind).slice(first, end));
  });
}
