// Owns how bodies of requests are read: within the limits of their route, small ones here and large ones in a thread.
export { discardRest } from "./discard-rest.ts";
export { createJsonBodies, digestOfBody, type JsonBodies } from "./json-bodies.ts";
export { requireRoom } from "./read-body.ts";
export { type RoomSettings, roomOf, tooLarge } from "./room.ts";
