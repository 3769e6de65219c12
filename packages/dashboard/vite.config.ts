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

export default defineConfig({
  // Addresses in the page are relative: it works under any path.
  base: "./",
  resolve: { conditions: ["jackfield-source", ...defaultClientConditions] },
  plugins: [compressAssets()],
  build: {
    target: "es2022",
    // Files stay files: a data: address would need more in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: {
      input: ["index.html", "dev/index.html"],
      checks: { pluginTimings: false },
      onLog(level, log, report) {
        // Libraries mark files for servers that render; there is none here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
