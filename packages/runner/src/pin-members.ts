/**
 * Copies what an object inherits onto itself: a function that later replaces `EventEmitter.prototype.emit` and the
 * like would otherwise be called with this object, be it the process or the pipe to the host.
 */
export function pinMembers(target: object): void {
  for (let proto = Object.getPrototypeOf(target); proto; proto = Object.getPrototypeOf(proto)) {
    if (proto === Object.prototype) return;
    for (const name of Reflect.ownKeys(proto)) {
      const descriptor = Object.getOwnPropertyDescriptor(proto, name);
      if (descriptor === undefined || Object.hasOwn(target, name)) continue;
      Object.defineProperty(target, name, { ...descriptor, configurable: true });
    }
  }
}
