/** A tool's input as it is read for people: whatever a program put in it, there is something to say. */

export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** The first of these that is a text. */
export function textIn(fields: Fields, ...names: readonly string[]): string {
  for (const name of names) if (typeof fields[name] === 'string') return fields[name]
  return ''
}

export const listIn = (fields: Fields, name: string): unknown[] => {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

export const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''
