/**
 * Idempotency keys that the hub makes (CMD-1.5): of a message of the bus, of an update of a chat, of a request in a log. They have
 * blanks, which REST refuses in a key, so no call of a person or of their programs has one of them.
 */
export const hubKey = (origin: 'bus' | 'ch' | 'tree', ...of: readonly (string | number)[]): string =>
  [origin, ...of].join(' ')

/** For what is named after such a key. */
export const idOfKey = (key: string): string => key.replaceAll(' ', '_')
