export { theme as default } from "../../src/theme/theme.ts";

import "../../src/theme/style.css";
