// One row of a Markdown table, and how figures are written in it.

export const cells = (row) => `| ${row.join(' | ')} |`

const written = (value) => value.toFixed(Math.abs(value) < 10 ? 2 : 0)

export const ms = (value) => `${written(value)} ms`
export const mb = (value) => `${written(value)} MB`
