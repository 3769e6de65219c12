export { siteConfig as default } from "../src/site-config.ts";
