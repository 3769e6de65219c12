import type { VendorAnswer, VendorCall } from "jackfield/test";

/** A PNG of one pixel: bytes that are no text. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const files = [
  { id: "1aBcD", name: "Logo.png", mimeType: "image/png", size: String(pixel.byteLength) },
  { id: "2eFgH", name: "Plan", mimeType: "application/vnd.google-apps.document" },
  {
    id: "3iJkL",
    name: "Budget 2025.xlsx",
    mimeType: "application/vnd.ms-excel",
    size: "20480",
    trashed: true,
  },
  { id: "4mNoP", name: "Video.mp4", mimeType: "video/mp4", size: "734003200" },
  { id: "5qRsT", name: "Notes.txt", mimeType: "text/plain", size: "12" },
].map((file, index) => ({
  trashed: false,
  modifiedTime: `2026-01-0${index + 1}T10:00:00.000Z`,
  ...file,
}));

/** Files and their content, in the form of Google Drive's API v3. */
export default function googleDrive({ path, query }: VendorCall): VendorAnswer | undefined {
  if (path === "/drive/v3/files") {
    const start = Number(query.get("pageToken")?.replace("after-", "") ?? 0);
    const end = start + Number(query.get("pageSize") ?? 100);
    const next = end < files.length ? { nextPageToken: `after-${end}` } : {};
    return { body: { ...next, files: files.slice(start, end) } };
  }
  const id = /^\/drive\/v3\/files\/([^/]+)$/.exec(path)?.[1];
  const file = files.find((known) => known.id === id);
  if (file === undefined)
    return { status: 404, body: { error: { code: 404, message: `File not found: ${id}.` } } };
  if (query.get("alt") === "media")
    return { headers: { "content-type": file.mimeType }, body: pixel };
  return { body: { name: file.name, mimeType: file.mimeType, size: file.size } };
}
