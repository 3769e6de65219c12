/**
 * The callback page's script. It moves an answer that came in the fragment into the query, where the
 * server sees it, and tells the window that opened this one: exactly the origin that the server names.
 */
export const callbackScript = `"use strict";
(() => {
  const { outcome, opener: origin, message } = document.documentElement.dataset;
  const fragment = location.hash.slice(1);
  if (outcome === "stale" && location.search === "" && new URLSearchParams(fragment).has("state")) {
    location.replace(location.pathname + "?" + fragment);
    return;
  }
  if (origin === undefined || message === undefined) return;
  const close = () => window.close();
  if (window.opener !== null) {
    window.addEventListener("message", (event) => {
      if (event.origin === origin && event.data?.type === "svc_oauth_callback_ack") close();
    });
    window.opener.postMessage(JSON.parse(message), origin);
  }
  if (outcome === "success") setTimeout(close, 1500);
})();
`;
