/**
 * The callback page's script. It moves an answer that came in the fragment into the query, where the
 * server sees it, and tells the window that opened this one: exactly the origin that the server names.
 * The message comes under each spelling of its name; an answer under any of them closes the page.
 */
export const callbackScript = `"use strict";
(() => {
  const { outcome, opener: origin, messages } = document.documentElement.dataset;
  const fragment = location.hash.slice(1);
  if (outcome === "stale" && location.search === "" && new URLSearchParams(fragment).has("state")) {
    location.replace(location.pathname + "?" + fragment);
    return;
  }
  if (origin === undefined || messages === undefined) return;
  const close = () => window.close();
  if (window.opener !== null) {
    const told = JSON.parse(messages);
    const answers = told.map(({ type }) => type.replace(/_[a-z]+$/, "_ack"));
    window.addEventListener("message", (event) => {
      if (event.origin === origin && answers.includes(event.data?.type)) close();
    });
    for (const message of told) window.opener.postMessage(message, origin);
  }
  if (outcome === "success") setTimeout(close, 1500);
})();
`;
