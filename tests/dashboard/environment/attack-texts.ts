/** Texts that would run, or pose as others, where a page made markup, links or code of them. */

const RUN = "window.__attacked=1";

const markup = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<math><mtext></p><img src=x onerror=${RUN}></mtext></math>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<style>@import "javascript:${RUN}"</style>`,
  `<base href="javascript:/${RUN}//">`,
  `<form action="javascript:${RUN}"><button>go</button></form>`,
  `<a href="javascript:${RUN}">go</a>`,
  `<object data="javascript:${RUN}"></object>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `<%= ${RUN} %>`,
  `__proto__`,
  `constructor`,
  `=HYPERLINK("javascript:${RUN}")`,
  `\u001b[31m\u001b]8;;javascript:${RUN}\u0007red`,
  `a\u202egnp.exe`,
  `ad\u200bmin`,
  `\u2066right\u2069\u061cשלום (1) عميل`,
  `\ufeffprod`,
  `&lt;img src=x onerror=${RUN}&gt;`,
] as const;

const frames: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `'>${text}`,
  (text) => `</pre></code>${text}`,
  (text) => `</title></textarea>${text}`,
  (text) => `]]>${text}`,
  (text) => `\\u003c${text}`,
  (text) => `${text}<!--`,
  (text) => text.toUpperCase(),
  (text) => `Ada ${text} Lovelace`,
];

/** 300 of them, each in every frame. */
export const attackTexts: readonly string[] = frames.flatMap((frame) => markup.map(frame));
