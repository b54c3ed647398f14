/** Formats members of an input for people: short ones as one line each, the others as indented JSON. Pure. */
const SHORT = 200

export interface ShownMembers {
  /** Values as JSON where a text could look like a number, or one member like two. */
  lines: Array<[name: string, value: string]>
  json: string | null
}

export function shownMembers(members: ReadonlyArray<readonly [string, unknown]>): ShownMembers {
  const lines: ShownMembers['lines'] = []
  const large: Array<readonly [string, unknown]> = []
  for (const [name, value] of members) {
    const text = isPlain(value) ? lineOf(value) : undefined
    if (text !== undefined && text.length <= SHORT && name.length <= 40) lines.push([name, text])
    else large.push([name, value])
  }
  return { lines, json: large.length > 0 ? JSON.stringify(Object.fromEntries(large), null, 2) : null }
}

const lineOf = (value: unknown) =>
  typeof value === 'string' && isPlainWords(value) ? value : (JSON.stringify(value) ?? '')

/** Words that can be taken for nothing else. */
const isPlainWords = (text: string) =>
  /^\p{L}[\p{L}\p{N} ,.()/_'-]*$/u.test(text) && !/ {2}|^(true|false|null)$| $/.test(text)

const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
