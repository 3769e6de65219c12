// What `npm run generate` makes of the provider files: the catalogue as the server reads it, its logos,
// the list of published ids and the page that shows all providers.
import { readFile } from "node:fs/promises";
import {
  CatalogueError,
  checkBuiltIn,
  compileCatalogue,
  compileLogos,
  type Icon,
  readFolder,
} from "@jackfield/catalogue/files";
import * as icons from "simple-icons";
import { writeProviderList } from "./write-provider-list.ts";

const root = new URL("../../packages/catalogue/", import.meta.url);

const iconByName = new Map(
  Object.values(icons).flatMap((icon): [string, Icon][] =>
    // An icon with a licence of its own is not CC0.
    "slug" in icon && icon.license === undefined ? [[icon.slug, icon]] : [],
  ),
);

/** Reads all provider files once; throws CatalogueError with every fault of entries and of the whole. */
async function readCatalogue() {
  const { providers, entries, faults } = readFolder(new URL("providers/", root));
  const published = await readPublishedIds();
  const all = [
    ...faults,
    ...checkBuiltIn(providers, {
      publishedIds: published,
      hasIcon: (name) => iconByName.has(name),
    }),
  ];
  if (all.length > 0) throw new CatalogueError(all.join("\n"));
  return { providers, entries, published };
}

async function readPublishedIds(): Promise<string[]> {
  const text = await readFile(new URL("published-ids.txt", root), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

let reading: ReturnType<typeof readCatalogue> | undefined;

async function read() {
  reading ??= readCatalogue();
  return await reading;
}

export const catalogueFiles = [
  {
    path: "packages/catalogue/generated/catalogue.jsonl",
    make: async () => {
      const { entries, providers } = await read();
      return compileCatalogue(entries, providers);
    },
  },
  {
    path: "packages/catalogue/generated/logos.jsonl",
    make: async () => compileLogos((await read()).providers, (name) => iconByName.get(name)),
  },
  {
    path: "packages/catalogue/published-ids.txt",
    make: async () => {
      const { providers, published } = await read();
      const ids = new Set([...published, ...providers.map(({ id }) => id)]);
      return `${[...ids].toSorted().join("\n")}\n`;
    },
  },
  {
    path: "docs/providers.md",
    make: async () => writeProviderList((await read()).providers),
  },
];
