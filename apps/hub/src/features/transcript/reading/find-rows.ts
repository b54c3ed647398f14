/** Finds the rows of a transcript that contain a text, in order. Searches everything in an item, shown or folded. Pure. */
import { isCutValue, toolLabel } from '@roundhouse/backend-types'
import { toolWords } from '../changes/tool-words'
import type { Item, Text } from '../items/items'
import { outputText } from '../items/output-text'
import type { Row } from '../items/rows'

export interface FoundRow {
  key: string
  seq: number
}

export function findRows(rows: readonly Row[], query: string): FoundRow[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  return rows.flatMap((row) =>
    'item' in row && textOfItem(row.item).toLowerCase().includes(wanted) ? [{ key: row.key, seq: row.item.seq }] : [],
  )
}

function textOfItem(item: Item): string {
  switch (item.type) {
    case 'user':
    case 'assistant':
    case 'thinking':
      return textOf(item.text)
    case 'plan':
      return item.items.map((step) => step.text).join('\n')
    case 'tool': {
      const { input, output, permission, ran, answered, children } = item.tool
      const { verb, object } = toolWords(item.tool)
      const values = [input, output, ran, answered?.input].map(valueText)
      return [verb, object, ...values, permission ?? '', ...children.map(textOfItem)].join('\n')
    }
    case 'ask':
      return `${toolLabel(item.ask.toolName)}\n${valueText(item.ask.input)}`
    case 'marker':
      return [item.marker.text, item.marker.detail, valueText(item.marker.answered?.input)].join('\n')
    case 'turn_end':
      return [item.end.error?.message, item.exit?.text, item.exit?.detail].filter(Boolean).join('\n')
    case 'unsupported':
      return item.kind
  }
}

const textOf = (text: Text) => (typeof text === 'string' ? text : `${text.head}\n${text.tail}`)

/** Strings as people read them, without JSON escapes. */
function valueText(value: unknown): string {
  if (isCutValue(value)) return textOf(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return outputText(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join('\n')
}
