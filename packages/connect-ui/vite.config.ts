import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  // Addresses in the page are relative: it works under any path.
  base: "./",
  resolve: { conditions: ["source", ...defaultClientConditions] },
  build: {
    target: "es2022",
    // Files stay files: a data: address would need more in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
  },
});
