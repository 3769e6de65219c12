import "./bench/actions/ping.ts";
import "./bench/syncs/save.ts";
