import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { basePlaceholder } from "../assets.js";
import { toClasses } from "./code-colours.ts";
import { outputFolder, stageFolder } from "./folders.ts";
import { groups } from "./navigation.ts";

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** Next to each of the hundreds of provider pages: the whole tree would be half of the site. */
const nextToProviders: ReadonlySet<string> = new Set([
  ...["quick-start", "concepts", "connect", "connections", "proxy"],
  ...["providers/index", "auth-modes", "catalogue"],
]);

function toSidebar(isShown: (page: string) => boolean): DefaultTheme.SidebarItem[] {
  return groups
    .map(({ title, pages }) => ({
      text: title,
      items: pages
        .filter(([page]) => isShown(page) && existsSync(join(stageFolder, `${page}.md`)))
        .map(([page, text]) => ({ text, link: `/${page.replace(/\bindex$/, "")}` })),
    }))
    .filter(({ items }) => items.length > 0);
}

export const siteConfig = defineConfig({
  title: "Jackfield",
  description: "Open-source integration platform: connections, proxy, syncs, actions and webhooks",
  lang: "en",
  base: basePlaceholder,
  srcDir: stageFolder,
  outDir: outputFolder,
  cleanUrls: false,
  metaChunk: true,
  // Without a style element for each change, which the content security policy refuses.
  appearance: { disableTransition: false },
  ignoreDeadLinks: "localhostLinks",
  // Read from `assets/`, as everything is: the content security policy allows no inline script.
  head: [["meta", { name: "referrer", content: "no-referrer" }]],
  vite: { logLevel: "error", build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    sidebar: {
      "/providers/": toSidebar((page) => nextToProviders.has(page)),
      "/": toSidebar(() => true),
    },
    outline: [2, 3],
    docFooter: { prev: "Before", next: "Next" },
    nav: [
      { text: "Guides", link: "/quick-start" },
      { text: "API", link: "/api" },
      { text: "Providers", link: "/providers/" },
      { component: "VersionSelect", props: { version } },
    ],
    search: {
      provider: "local",
      options: {
        // Of the hundreds of provider pages the name is enough: their texts are alike.
        _render(source, env, markdown) {
          const isProvider = /^providers\//.test(env.relativePath);
          const text = isProvider
            ? (source.split("\n").find((line) => line.startsWith("# ")) ?? "")
            : source;
          return markdown.render(text, env);
        },
      },
    },
  },
  markdown: {
    html: false,
    attrs: { disable: true },
    config(markdown) {
      const { highlight } = markdown.options;
      markdown.options.highlight = (code, language, attributes) => {
        const html: unknown = highlight?.(code, language, attributes);
        return toClasses(String(html));
      };
      // The pages are texts, not templates: braces in them mean themselves.
      const { escapeHtml } = markdown.utils;
      const literal = (text: string) => escapeHtml(text).replaceAll("{", "&#123;");
      markdown.renderer.rules.text = (tokens, index) => literal(tokens[index]?.content ?? "");
      // A header without words is none for those who hear the page.
      markdown.renderer.rules["th_open"] = (tokens, index) =>
        tokens[index + 1]?.content === "" ? "<td>" : "<th>";
      markdown.renderer.rules["th_close"] = (tokens, index) =>
        tokens[index - 1]?.content === "" ? "</td>" : "</th>";
      markdown.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${escapeHtml(tokens[index]?.content ?? "")}</code>`;
    },
  },
});
