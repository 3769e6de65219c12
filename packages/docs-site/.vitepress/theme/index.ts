import "../../src/theme/style.css";

export { theme as default } from "../../src/theme/theme.ts";
