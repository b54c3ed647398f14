/**
 * What a program wrote down of its conversations, for a comparison with our log. It is read here by its own means, and by
 * nothing of the adapters: what they overlook must not be overlooked twice.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { RealBackend } from '../support/processes/backends'
import { imagesWithin } from './images'

export interface Spot {
  file: string
  line: number
}

/**
 * One thing that a person sees in the program's own interface. `key` of a call and its result is the call's id. `summary`:
 * what a compaction left to the model. `image`: its text is its digest, and `from` the call that gave it or the words of the
 * prompt that it came with.
 */
export interface Seen extends Spot {
  who: 'person' | 'model' | 'thought' | 'call' | 'result' | 'summary' | 'image'
  text: string
  key?: string
  from?: string
}

type Line = Record<string, unknown>

/** All conversations below this folder, each in its order. */
export function ownRecords(kind: RealBackend, root: string): Seen[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  const wanted = kind === 'claude' ? /^(agent-)?[0-9a-f-]+\.jsonl$/ : /^rollout-/
  const read = kind === 'claude' ? claudeLine : codexLine
  return files
    .filter((name) => wanted.test(path.basename(name)))
    .flatMap((name) => {
      const lines = linesOf(path.join(root, name))
      const notRun = kind === 'codex' ? askedInCompactions(lines) : new Set()
      return lines
        .flatMap((line, at) => read(line, { file: path.basename(name), line: at + 1 }))
        .filter(({ who, key }) => who !== 'call' || !notRun.has(key))
    })
}

/** Codex asks its model for a summary, and runs nothing of what that calls instead: its own interface shows none of it. */
function askedInCompactions(lines: readonly Line[]): Set<unknown> {
  const items = lines.map(({ payload }) => (payload ?? {}) as Line)
  const compactions = new Set(
    items.filter(({ item }) => (item as Line | undefined)?.type === 'ContextCompaction').map(({ turn_id }) => turn_id),
  )
  const turnOf = (item: Line) => (item.internal_chat_message_metadata_passthrough as Line | undefined)?.turn_id
  const answered = new Set(items.filter(({ output }) => output !== undefined).map(({ call_id }) => call_id))
  const asked = items.filter((item) => item.call_id !== undefined && compactions.has(turnOf(item)))
  return new Set(asked.map(({ call_id }) => call_id).filter((id) => !answered.has(id)))
}

function linesOf(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return [JSON.parse(text) as Line]
      } catch {
        // The last line of a program that was killed while it wrote.
        return []
      }
    })
}

const asList = (value: unknown): Line[] => (Array.isArray(value) ? value : [])

/** The text of a message's content, whatever its form. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('')
}

const imagesOf = (content: unknown, from: string, spot: Spot): Seen[] =>
  imagesWithin(content).map(({ digest }) => ({ who: 'image', text: digest, from, ...spot }))

function claudeLine(line: Line, spot: Spot): Seen[] {
  const { content, role } = (line.message ?? {}) as { content?: unknown; role?: string }
  // Other lines hold what was sent to the model, once more.
  if ((line.type !== 'user' && line.type !== 'assistant') || line.isMeta === true || content === undefined) return []
  if (typeof content === 'string') return [{ who: role === 'user' ? 'person' : 'model', text: content, ...spot }]
  return asList(content).flatMap((part): Seen[] => {
    switch (part.type) {
      case 'text':
        return [{ who: role === 'user' ? 'person' : 'model', text: String(part.text), ...spot }]
      case 'thinking':
        return [{ who: 'thought', text: String(part.thinking), ...spot }]
      case 'tool_use':
        return [{ who: 'call', text: JSON.stringify(part.input), key: String(part.id), ...spot }]
      case 'tool_result': {
        const key = String(part.tool_use_id)
        const images = imagesOf(part.content, key, spot)
        return [{ who: 'result', text: textOf(part.content), key, ...spot }, ...images]
      }
      case 'image':
        return imagesOf(part, textOf(content), spot)
      default:
        return []
    }
  })
}

/** Around an image of a terminal Codex writes what its model calls it: a part of its own, which nobody typed. */
const imageMark = /^<\/?image\b[^<>]*>$/

function messageOf({ role, content }: Line, spot: Spot): Seen[] {
  const text = textOf(asList(content).filter((part) => !imageMark.test(String(part.text))))
  return [{ who: role === 'user' ? 'person' : 'model', text, ...spot }, ...imagesOf(content, text, spot)]
}

function codexLine(line: Line, spot: Spot): Seen[] {
  const item = line.payload as Line
  if (line.type === 'compacted') return [{ who: 'summary', text: String(item.message), ...spot }]
  if (line.type !== 'response_item') return []
  const key = String(item.call_id)
  switch (item.type) {
    case 'message':
      if (item.role === 'developer') return []
      return messageOf(item, spot)
    case 'reasoning':
      return [{ who: 'thought', text: textOf(item.summary), ...spot }]
    case 'function_call':
      return [{ who: 'call', text: String(item.arguments), key, ...spot }]
    case 'custom_tool_call':
      return [{ who: 'call', text: String(item.input), key, ...spot }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [
        {
          who: 'result',
          text: typeof item.output === 'string' ? item.output : JSON.stringify(item.output),
          key,
          ...spot,
        },
        ...imagesOf(item.output, key, spot),
      ]
    default:
      return []
  }
}
