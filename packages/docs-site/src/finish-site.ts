import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { basePlaceholder } from "../assets.js";
import { colourRules } from "./code-colours.ts";
import { writeLlmsText } from "./write-llms-text.ts";

// What the generator writes into each page to choose the colours before anything is drawn.
const inlineScript = /<script(?: id="[\w-]+")?>([^<]+)<\/script>/g;

/**
 * Makes the generated site fit a content security policy without `unsafe-inline`: scripts in pages and colours of
 * code become files. Adds each page as Markdown, and `llms.txt`. Throws when something inline is left.
 */
export async function finishSite(
  folder: string,
  pages: ReadonlyMap<string, string>,
): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith(".html"),
  );
  const colours = await writeAsset(folder, { name: "code", type: "css", text: colourRules() });
  for (const name of files) {
    const path = join(folder, name);
    const html = await moveScripts(folder, await readFile(path, "utf8"));
    const finished = html
      .replaceAll(/ style="[^"]*"/g, "")
      .replace("</head>", `<link rel="stylesheet" href="${colours}"></head>`);
    if (/<script>|<style|<script id=/.test(finished))
      throw new Error(`${name} has something inline`);
    await writeFile(path, finished);
  }
  for (const [name, text] of pages) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await writeFile(join(folder, "llms.txt"), writeLlmsText(pages));
}

async function moveScripts(folder: string, html: string): Promise<string> {
  const texts = [...html.matchAll(inlineScript)].map(([, text = ""]) => text);
  if (texts.length === 0) return html;
  const address = await writeAsset(folder, { name: "early", type: "js", text: texts.join("\n") });
  let isFirst = true;
  return html.replaceAll(inlineScript, () => {
    const script = isFirst ? `<script src="${address}"></script>` : "";
    isFirst = false;
    return script;
  });
}

const written = new Set<string>();

async function writeAsset(
  folder: string,
  { name, type, text }: { name: string; type: string; text: string },
): Promise<string> {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const file = `assets/${name}.${hash}.${type}`;
  if (!written.has(file)) await writeFile(join(folder, file), text);
  written.add(file);
  return `${basePlaceholder}${file}`;
}
