import { type Theme, useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineComponent, h } from "vue";
import { VersionSelect } from "./version-select.ts";

/** Below each page: the same as Markdown, for programs and their readers. */
const MarkdownLink = defineComponent({
  setup() {
    const { page } = useData();
    return () =>
      h("nav", { class: "markdown-link", "aria-label": "Other forms of this page" }, [
        h(
          "a",
          { href: withBase(`/${page.value.relativePath}`), target: "_self" },
          "This page as Markdown",
        ),
      ]);
  },
});

export const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("VersionSelect", VersionSelect);
  },
  Layout: () => h(DefaultTheme.Layout, null, { "doc-after": () => h(MarkdownLink) }),
};
