import type { Item } from './items'

/** A tool's output as text: strings unchanged, content blocks by their text, the rest as indented JSON. Pure. */
export function outputText(output: unknown): string {
  if (output === undefined || output === null) return ''
  if (typeof output === 'string') return output
  if (Array.isArray(output)) return output.map(blockText).join('\n')
  if (typeof output === 'object') {
    const fields = output as Record<string, unknown>
    if (typeof fields.text === 'string' && Object.keys(fields).length <= 2) return fields.text
  }
  return JSON.stringify(output, null, 2)
}

/** A sub-agent's last text is its answer, which its steps show already. `null`: there is nothing else. */
export function withoutSaid(output: string, steps: readonly Item[]): string | null {
  const said = steps.findLast((step) => step.type === 'assistant')
  if (said?.type !== 'assistant' || typeof said.text !== 'string') return output
  const answer = said.text.trim()
  const text = output.trim()
  if (answer === '' || !text.startsWith(answer)) return output
  return text.slice(answer.length).trim() || null
}

/** One of its blocks may be an image. */
export function saysImages(output: unknown): boolean {
  const blocks = Array.isArray(output) ? output : (output as { content?: unknown } | null)?.content
  return Array.isArray(blocks) && blocks.some((block) => (block as { type?: unknown } | null)?.type === 'image')
}

function blockText(block: unknown): string {
  if (typeof block === 'string') return block
  const fields = (block ?? {}) as Record<string, unknown>
  return typeof fields.text === 'string' ? fields.text : JSON.stringify(block)
}
