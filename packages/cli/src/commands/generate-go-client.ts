import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { readProjectSettings } from "../config.ts";
import { printJson } from "../output/print-json.ts";

interface GoClientOptions {
  openapi?: string;
  out: string;
  package: string;
  json?: true;
}

export function goClientCommand(name: string): Command {
  return new Command(name)
    .description("write a client of the server's own API in Go, as one file")
    .option("--openapi <source>", "the document: a file or a URL; default: the server's")
    .option("-o, --out <file>", "file to write", "jackfield/client.go")
    .option("--package <name>", "name of the package", toPackageName, "jackfield")
    .option("--json", "print the written file as JSON")
    .addHelpText("after", "\nExample:\n  $ jackfield generate go-client --out jackfield/client.go")
    .action(generateGoClient);
}

function toPackageName(text: string): string {
  if (/^[a-z][a-z0-9]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be lower-case letters and digits.");
}

async function generateGoClient(options: GoClientOptions): Promise<void> {
  const { readDocument } = await import("../openapi/document/read-document.ts");
  const { writeGoClient } = await import("../go-client/write-go-client.ts");
  const source = options.openapi ?? `${readProjectSettings(process.cwd()).host}/openapi.json`;
  const document = await readDocument(source);
  const { text, methods, types } = await writeGoClient(document.root, options.package);
  await mkdir(dirname(options.out), { recursive: true });
  await writeFile(options.out, text);
  if (options.json === true) printJson({ path: options.out, methods, types });
  else console.log(`Wrote ${options.out}: ${methods} methods and ${types} types.`);
}
