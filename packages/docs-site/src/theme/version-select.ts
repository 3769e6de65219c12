import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref } from "vue";

const CHECK_TIMEOUT_MS = 5000;

/**
 * The version in the menu: where several stand next to each other, a choice among them; else a link to what changed.
 * `versions.json` in the folder of them all names them, also to pages that were built before the newest.
 */
export const VersionSelect = defineComponent({
  // `screenMenu` is what the menu of small screens says to its items.
  props: {
    version: { type: String, required: true },
    screenMenu: { type: String, default: undefined },
  },
  setup(props) {
    const { page, site } = useData();
    const versions = ref<readonly string[]>([]);
    const { base } = site.value;
    const own = `${props.version}/`;
    const root = base.endsWith(`/${own}`) ? base.slice(0, -own.length) : undefined;

    onMounted(async () => {
      if (root !== undefined) versions.value = await readVersions(`${root}versions.json`);
    });

    async function open(version: string): Promise<void> {
      const start = `${root ?? base}${version}/`;
      const path = page.value.relativePath.replace(/(^|\/)index\.md$/, "$1");
      const same = `${start}${path.replace(/\.md$/, ".html")}`;
      location.assign((await isThere(same)) ? same : start);
    }

    return () =>
      versions.value.length > 1
        ? h("label", { class: "version-select" }, [
            h("span", { class: "visually-hidden" }, "Version"),
            h(
              "select",
              {
                onChange: async ({ target }: Event) => {
                  if (target instanceof HTMLSelectElement) await open(target.value);
                },
              },
              versions.value.map((version) =>
                h("option", { value: version, selected: version === props.version }, version),
              ),
            ),
          ])
        : h("a", { class: "version-link", href: `${base}changelog.html` }, props.version);
  },
});

async function readVersions(address: string): Promise<readonly string[]> {
  const answer = await ask(address, "GET");
  const list: unknown = await answer?.json().catch(() => undefined);
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

async function isThere(address: string): Promise<boolean> {
  return (await ask(address, "HEAD")) !== undefined;
}

/** Undefined for what is not there, or does not answer. */
async function ask(address: string, method: "GET" | "HEAD"): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const answer = await fetch(address, { method, signal }).catch(() => undefined);
  return answer?.ok === true ? answer : undefined;
}
