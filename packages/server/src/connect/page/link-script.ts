/**
 * Takes the token out of the address before anything else sees it, shows what the link is for, and begins the session
 * at a click only: what merely opens the page, such as a mail scanner, spends nothing.
 */
export const linkScript = `"use strict";
(() => {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  const part = (id) => document.getElementById(id);
  const ask = async (name) => {
    const response = await fetch(document.documentElement.dataset.api + name, {
      method: "POST",
      credentials: "omit",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const body = await response.json();
    if (response.ok) return body.data;
    throw new Error(body.error.message);
  };
  const fail = (error) => {
    part("title").textContent = "This link cannot be used";
    part("text").textContent = error instanceof TypeError ? "The server cannot be reached; try again later." : error.message;
    part("go").hidden = true;
    part("note").textContent = "";
  };
  const show = ({ integrations, asks_for: who, expires_at: until }) => {
    const services = integrations === null ? "a service of your choice" : new Intl.ListFormat("en", { type: "disjunction" }).format(integrations);
    part("text").textContent = (who === null ? "You are asked" : who + " is asked") + " to connect " + services + ".";
    part("note").textContent = "The link works until " + new Date(until).toLocaleString() + ".";
    part("go").hidden = false;
    part("go").focus();
  };
  part("go").addEventListener("click", () => {
    part("go").disabled = true;
    ask("use").then(({ connect_link: link }) => location.replace(link)).catch(fail);
  });
  ask("open").then(show).catch(fail);
})();
`;
