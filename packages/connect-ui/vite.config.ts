import { defaultClientConditions, defineConfig } from "vite";

// A build is for users wherever it runs: where tests set another NODE_ENV, React's development form with this
// machine's paths would be published and served.
// biome-ignore lint/style/noProcessEnv: vite reads it after this file
process.env["NODE_ENV"] = "production";

export default defineConfig({
  // Addresses in the page are relative: it works under any path.
  base: "./",
  resolve: { conditions: ["jackfield-source", ...defaultClientConditions] },
  build: {
    target: "es2022",
    // Files stay files: a data: address would need more in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: { input: ["index.html", "l/index.html", "manage/index.html"] },
  },
});
