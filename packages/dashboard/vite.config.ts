import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

// A build is for users wherever it runs: where tests set another NODE_ENV, React's development form with this
// machine's paths would be published and served.
// biome-ignore lint/style/noProcessEnv: vite reads it after this file
process.env["NODE_ENV"] = "production";

const LEAST_BYTES = 1024;

/** Scripts and styles next to their compressed forms, so that no request compresses. */
function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    apply: "build",
    // From the files as they were written: what Vite does to chunks at the end is in them.
    writeBundle({ dir = "" }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        const path = join(dir, fileName);
        const source = readFileSync(path);
        if (!/\.(?:js|css|svg)$/.test(fileName) || source.length < LEAST_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        writeFileSync(`${path}.br`, brotliCompressSync(source, { params }));
        writeFileSync(`${path}.gz`, gzipSync(source, { level: 9 }));
      }
    },
  };
}

/** Files that are loaded as soon as the page is, in addition to those that its first script imports. */
const atOnce = ["src/app.tsx"];

/** The first script is small and loads the rest: the page names it too, so that nothing waits for that script to run. */
function preloadScripts(): Plugin {
  return {
    name: "preload-scripts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {}, path }) {
        if (path !== "/index.html") return [];
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const find = (name: string) => chunks.find(({ fileName }) => fileName === name);
        const names = new Set<string>();
        const add = (chunk: (typeof chunks)[number] | undefined): void => {
          if (chunk === undefined || chunk.isEntry || names.has(chunk.fileName)) return;
          names.add(chunk.fileName);
          for (const name of chunk.imports) add(find(name));
        };
        for (const source of atOnce)
          add(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source)));
        return [...names]
          .filter((name) => !html.includes(name))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` },
            injectTo: "head" as const,
          }));
      },
    },
  };
}

/** The page speaks English: words of its controls in other languages would be read out within English ones. */
function onlyEnglish(): Plugin {
  return {
    name: "only-english",
    enforce: "pre",
    load(id) {
      const isOther = /[\\/]private[\\/]intl[\\/](?:\w+[\\/])?(?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/;
      return isOther.test(id) ? 'export { default } from "./en-US.mjs";' : undefined;
    },
  };
}

/** What the first script shares with those after it. */
const isOfStart = (id: string): boolean =>
  /[\\/]dashboard[\\/]src[\\/]start[\\/](?!main\.ts$)|[\\/]ui[\\/]src[\\/]theme\.ts$|\.css$|^\0(?:vite|rolldown)[\\/]/.test(
    id,
  );

/** Libraries of few screens with what shows them, the parts and the texts of one: a screen that needs them loads them. */
const isOfFew = (id: string): boolean =>
  /[\\/](?:diff|sugar-high|@simplewebauthn)[\\/]|[\\/]dashboard[\\/]src[\\/](?:screens|texts[\\/]screens|parts[\\/]code)[\\/]/.test(
    id,
  );

/** What screens with charts share; the charts themselves are loaded when one is shown. */
const isOfCharts = (id: string): boolean =>
  /[\\/]dashboard[\\/]src[\\/](?:parts[\\/]charts[\\/](?!time-chart)|data[\\/]observe[\\/])/.test(
    id,
  );

/** The folder of a screen, whose list and detail share columns and words: these are one file. */
const folderOfScreen = (id: string): string | null =>
  /[\\/]dashboard[\\/]src[\\/]screens[\\/](\w[\w-]*)[\\/]/.exec(id)?.[1] ?? null;

/** Each file costs a request, of which browsers make six at a time: what most screens need is one file. */
const MANY_SCREENS = 5;

export default defineConfig({
  // Addresses in the page are relative: it works under any path.
  base: "./",
  resolve: { conditions: ["jackfield-source", ...defaultClientConditions] },
  plugins: [onlyEnglish(), preloadScripts(), compressAssets()],
  build: {
    target: "es2022",
    // Files stay files: a data: address would need more in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: {
      input: ["index.html", "dev/index.html"],
      output: {
        codeSplitting: {
          groups: [
            { name: "start", test: isOfStart, priority: 1 },
            {
              name: "shared",
              test: (id) => !id.startsWith("\0") && !isOfStart(id) && !isOfFew(id),
              minShareCount: MANY_SCREENS,
            },
            { name: "charts", test: isOfCharts, minShareCount: 2 },
            {
              name: folderOfScreen,
              test: (id) => folderOfScreen(id) !== null,
              minShareCount: 2,
            },
          ],
        },
      },
      checks: { pluginTimings: false },
      onLog(level, log, report) {
        // Libraries mark files for servers that render; there is none here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
