// npm runs this after `npm ci`. It must not fail where development tools are absent (--omit=dev).
