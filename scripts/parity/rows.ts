/** What a row of `docs/parity.md` says. */

export interface ParityRow {
  /** As the document calls it. */
  name: string
  /** The title of a test that shows it, as it stands in the source. */
  test: string
  /** What it is called here, or how it differs, with the reason. */
  note?: string
}

export interface ParityDocument {
  title: string
  /** One sentence: what the document is, and where it lives here. */
  about: string
  sections: Array<{ heading: string; rows: ParityRow[] }>
}

/** Rows of one type whose members the same test shows: `CostData.inputTokens`, ... */
export const membersOf = (type: string, names: readonly string[], test: string, note?: string): ParityRow[] =>
  names.map((name) => ({ name: `${type}.${name}`, test, ...(note === undefined ? {} : { note }) }))

export const row = (name: string, test: string, note?: string): ParityRow => ({
  name,
  test,
  ...(note === undefined ? {} : { note }),
})
