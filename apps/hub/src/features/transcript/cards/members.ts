/** Formats members of an input for people: short ones as one line each, the others as indented JSON. Pure. */
const SHORT = 200

export interface ShownMembers {
  /** Values as JSON, so that a text cannot look like a number, or one member like two. */
  lines: Array<[name: string, value: string]>
  json: string | null
}

export function shownMembers(members: ReadonlyArray<readonly [string, unknown]>): ShownMembers {
  const lines: ShownMembers['lines'] = []
  const large: Array<readonly [string, unknown]> = []
  for (const [name, value] of members) {
    const text = isPlain(value) ? JSON.stringify(value) : undefined
    if (text !== undefined && text.length <= SHORT && name.length <= 40) lines.push([name, text])
    else large.push([name, value])
  }
  return { lines, json: large.length > 0 ? JSON.stringify(Object.fromEntries(large), null, 2) : null }
}

const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
