import { type Theme, useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineComponent, h } from "vue";

/** Below each page: the same as Markdown, for programs and their readers. */
const MarkdownLink = defineComponent({
  setup() {
    const { page } = useData();
    return () =>
      h("p", { class: "markdown-link" }, [
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
  Layout: () => h(DefaultTheme.Layout, null, { "doc-after": () => h(MarkdownLink) }),
};
