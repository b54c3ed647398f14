/** Text of others for a terminal: nothing in it moves the cursor, turns a line around, or hides. */

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** For one line, such as a name. */
export const inertLine = (text: string): string => text.replace(hidden, '?')

/** Keeps line breaks and tabs. */
export const inertText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(hidden, (one) => (one === '\n' || one === '\t' ? one : '?'))

/** Shows each such character by its number, so that a person sees all that is there. Keeps line breaks. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (one) => (one === '\n' ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`))
