import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Why a command is not run, as the comment above it says. */
  readonly notRun?: string;
  /** The file that a reader writes it to, as the comment above it says. */
  readonly file?: string;
  /** Whether nothing but a blank line, or a sentence about the answer, is between it and the block before. */
  readonly follows?: true;
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

const fence =
  /^(?:<!-- (?<mark>not run|file): (?<value>[^\n]*) -->\n)?(?<indent> *)```(?<language>\w*)[^\n]*\n(?<text>[\s\S]*?)^\k<indent>```$/gm;

/** The blocks of a page, or of a text with its form. */
export async function readBlocks(page: string): Promise<Block[]> {
  return findBlocks(await readFile(join(root, page), "utf8"));
}

export function findBlocks(text: string): Block[] {
  let end = 0;
  return [...text.matchAll(fence)].map(({ 0: whole, index, groups = {} }) => {
    const between = text.slice(end, index).trim();
    const follows = end > 0 && /^(?:The answer[^\n]*:)?$/.test(between);
    end = index + whole.length;
    const { mark, value = "", indent = "", language = "", text: block = "" } = groups;
    return {
      language,
      text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      ...(mark === "not run" ? { notRun: value } : {}),
      ...(mark === "file" ? { file: value } : {}),
      ...(follows ? { follows } : {}),
    };
  });
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

/**
 * Runs each `sh` block of a page in order, in one shell session, with curl failing where the answer is an error, and
 * writes the files that the page gives.
 */
export async function runPage(page: string, reader: Reader): Promise<Outcome[]> {
  const blocks = await readBlocks(page);
  const outcomes: Outcome[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.file !== undefined) await writeBlock(reader, block.file, block.text);
    if (block.language !== "sh" || block.notRun !== undefined) continue;
    await reader.before?.(block);
    const next = blocks[index + 1];
    const isAnswer = next?.language === "json" && next.follows === true;
    const shown: unknown = isAnswer ? JSON.parse(next.text) : undefined;
    outcomes.push({ block, shown, ...(await runBlock(reader, block)) });
  }
  return outcomes;
}

async function writeBlock({ folder }: Reader, file: string, text: string): Promise<void> {
  const cwd = await readFile(join(folder, ".shell", "folder"), "utf8").catch(() => folder);
  const path = join(cwd.trim(), file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function runBlock(
  { folder, env, replace }: Reader,
  { text }: Block,
): Promise<Pick<Outcome, "code" | "output" | "complaints">> {
  // Values with an ellipsis are the reader's own, who has exported them already.
  const typed = replace(text)
    .split("\n")
    .filter((line) => !/^export SVC_\w+=(\S*…|http)/.test(line))
    .join("\n");
  const state = join(folder, ".shell");
  await mkdir(state, { recursive: true });
  // Answers go to a file: they may hold what a page's reader is meant to see, and a log is not.
  const answer = join(state, "answer");
  await writeFile(answer, "");
  const script = `
    curl() { command curl -sS --fail-with-body -o ${answer} "$@"; }
    if [ -f ${state}/variables ]; then . ${state}/variables; cd "$(cat ${state}/folder)"; fi
    trap 'declare -px > ${state}/variables; pwd > ${state}/folder' EXIT
${typed}`;
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
