import { Buffer } from "node:buffer";
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
    generateBundle(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (!/\.(?:js|css|svg)$/.test(fileName) || source.length < LEAST_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        this.emitFile({
          type: "asset",
          fileName: `${fileName}.br`,
          source: brotliCompressSync(source, { params }),
        });
        this.emitFile({
          type: "asset",
          fileName: `${fileName}.gz`,
          source: gzipSync(source, { level: 9 }),
        });
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
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: {
      onLog(level, log, report) {
        // Libraries mark files for servers that render; there is none here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
