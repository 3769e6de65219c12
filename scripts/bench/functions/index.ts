import "./bench/syncs/save.ts";
