/**
 * Keys and certificates as people paste them, in the lines that PEM has (RFC 7468): breaks written as `\n`, turned
 * into spaces by a form, or lost. What has headers of its own, such as an encrypted key, stays as it is.
 */
export function toPem(text: string): string {
  return text
    .trim()
    .replaceAll("\\r", "")
    .replaceAll("\\n", "\n")
    .replace(block, (whole, label: string, inner: string) => {
      const base64 = inner.replace(/\s/g, "");
      if (!/^[A-Za-z0-9+/]+=*$/.test(base64)) return whole;
      const lines = base64.match(/.{1,64}/g) ?? [];
      return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----\n`].join("\n");
    })
    .trim();
}

// Credentials are at most some KB, and no part of this can match in two ways.
const block = /-----BEGIN ([A-Z0-9 ]{1,60})-----([^-]*)-----END \1-----/g;
