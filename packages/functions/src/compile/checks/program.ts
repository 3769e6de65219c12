import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CallExpression,
  isCallExpression,
  isNewExpression,
  type NewExpression,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import type { API, Project, Symbol as TsSymbol, Type } from "typescript/unstable/async";
import type { Diagnostic } from "../diagnostic.ts";

/** Where the declarations that authors import stand: the sources in the checkout, `dist` when published. */
const AUTHORING_FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../..") + sep;
const PUBLISHED = /[\\/]@jackfield[\\/]functions[\\/]dist[\\/]/;

/** A call or `new` of the author's code, and what its callee is bound to, regardless of its name there. */
export interface BoundCall {
  readonly node: CallExpression | NewExpression;
  readonly file: SourceFile;
  /** Path relative to the project. */
  readonly path: string;
  /** Name that the callee was declared with. */
  readonly name: string | undefined;
  /** Who declares the callee. */
  readonly origin: "svc" | "creator" | "other";
  readonly declaredIn: readonly string[];
  /** Whether its value is a promise. */
  readonly isPromise: boolean;
}

export interface BoundFile {
  readonly path: string;
  readonly file: SourceFile;
  readonly calls: readonly BoundCall[];
}

export async function openProject(api: API, config: string): Promise<Project | undefined> {
  const snapshot = await api.updateSnapshot({ openProjects: [config] });
  return snapshot.getProject(config) ?? snapshot.getProjects()[0];
}

/** Reads files of a project with all their bindings resolved by TypeScript itself; `root` without a slash at its end. */
export async function bindFilesOf(
  { program, checker }: Project,
  root: string,
  paths: readonly string[],
): Promise<BoundFile[]> {
  const bound: BoundFile[] = [];
  for (const path of paths) {
    const file = await program.getSourceFile(`${root}/${path}`);
    if (file === undefined) continue; // tsconfig.json leaves it out
    const nodes = findCalls(file);
    const callees = nodes.map((node) => node.expression);
    const calleeTypes = await checker.getTypeAtLocation(callees);
    const valueTypes = await checker.getTypeAtLocation(nodes);
    const calls = nodes.map(async (node, index): Promise<BoundCall> => {
      const [callee, value] = await Promise.all([
        symbolOf(calleeTypes[index]),
        symbolOf(valueTypes[index]),
      ]);
      const declaredIn = callee?.declarations.map((declaration) => declaration.path) ?? [];
      return {
        node,
        file,
        path,
        name: callee?.name,
        origin: toOrigin(callee?.name, declaredIn),
        declaredIn,
        isPromise: value?.name === "Promise",
      };
    });
    bound.push({ path, file, calls: await Promise.all(calls) });
  }
  return bound;
}

export function diagnosticAt(
  place: { readonly path: string; readonly file: SourceFile },
  node: Node,
  message: string,
): Diagnostic {
  const start = place.file.getLineAndCharacterOfPosition(node.getStart(place.file));
  return { file: place.path, line: start.line + 1, column: start.character + 1, message };
}

function findCalls(file: SourceFile): (CallExpression | NewExpression)[] {
  const found: (CallExpression | NewExpression)[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node) || isNewExpression(node)) found.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

async function symbolOf(type: Type | undefined): Promise<TsSymbol | undefined> {
  return await type?.getSymbol();
}

function toOrigin(name: string | undefined, declaredIn: readonly string[]): BoundCall["origin"] {
  const isOurs = declaredIn.some(
    (path) => path.startsWith(AUTHORING_FOLDER) || PUBLISHED.test(path),
  );
  if (!isOurs) return "other";
  return /^create(Sync|Action|OnEvent)$/.test(name ?? "") ? "creator" : "svc";
}
