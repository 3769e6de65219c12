import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

export interface Outcome {
  readonly block: Block;
  readonly code: number;
  /** What the last call answered. */
  readonly output: string;
  readonly complaints: string;
  /** The JSON that the page shows as its output, right after the block. */
  readonly shown: unknown;
}

export async function readBlocks(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", block = ""]) => ({ language, text: block }),
  );
}

/** A person at a terminal, in a folder of their own, who types what a page says. */
export interface Reader {
  readonly folder: string;
  /** What the shell knows, such as the API key that a page has its reader export. */
  readonly env: Readonly<Record<string, string>>;
  /** What a reader writes in place of a page's text: addresses and placeholders. */
  readonly replace: (text: string) => string;
  /** What has to happen before a block, such as a click in a browser. */
  readonly before?: (block: Block) => Promise<void>;
}

/** Runs each `sh` block of a page in order, with curl failing where the answer is an error. */
export async function runPage(page: string, reader: Reader): Promise<Outcome[]> {
  const blocks = await readBlocks(page);
  const outcomes: Outcome[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.language !== "sh") continue;
    await reader.before?.(block);
    const next = blocks[index + 1];
    const shown: unknown = next?.language === "json" ? JSON.parse(next.text) : undefined;
    outcomes.push({ block, shown, ...(await runBlock(reader, block)) });
  }
  return outcomes;
}

async function runBlock(
  { folder, env, replace }: Reader,
  { text }: Block,
): Promise<Pick<Outcome, "code" | "output" | "complaints">> {
  // The reader has exported them already, with values of their own.
  const typed = replace(text)
    .split("\n")
    .filter((line) => !/^export SVC_/.test(line))
    .join("\n");
  // Answers go to a file: they may hold what a page's reader is meant to see, and a log is not.
  const answer = join(folder, "answer");
  await writeFile(answer, "");
  const script = `curl() { command curl -sS --fail-with-body -o ${answer} "$@"; }\n${typed}`;
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaints += chunk;
  });
  const [code] = await once(child, "close");
  return { code: Number(code ?? 1), output: await readFile(answer, "utf8"), complaints };
}
