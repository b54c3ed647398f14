/**
 * A dialogue with a bridge as text that a person reads and a test compares: what the client said (`>`) and heard (`<`), in this order.
 * Ids are numbered in the order in which they came, the folder of the session is `/code`, and of a program's frame stands what says
 * what happened. Frames by which a version of the program only tells of itself are left out.
 */
import type { BridgeReply } from '@roundhouse/backend-types/bridge'

export type Frame = Record<string, unknown>
export type Said = { by: 'client'; message: Frame } | { by: 'bridge'; message: BridgeReply }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export function dialogueOf(said: readonly Said[], workDir: string): string {
  const lines = said.flatMap(({ by, message }) => {
    const shown = by === 'client' ? message : shownReply(message as BridgeReply)
    return shown ? [`${by === 'client' ? '>' : '<'} ${JSON.stringify(shown)}`] : []
  })
  const ids = new Map<string, string>()
  const numbered = (id: string) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`)
    return ids.get(id) ?? ''
  }
  const text = lines.join('\n').replaceAll(workDir, '/code')
  const named = text.replace(uuid, numbered).replace(/toolu_scripted\d+/g, numbered)
  const messages = new Map<string, string>()
  const ofClient = (id: string) => {
    if (!messages.has(id)) messages.set(id, `"c${messages.size + 1}"`)
    return messages.get(id) ?? ''
  }
  return `${named.replace(/(?<="id":)"c\d+"/g, ofClient)}\n`
}

function shownReply(reply: BridgeReply): object | null {
  switch (reply.type) {
    case 'sdk.message': {
      const payload = shownFrame(reply.payload)
      return payload && { ...reply, payload }
    }
    case 'callback.request':
      return reply.payload.callback_type === 'hook'
        ? { ...reply, payload: { ...reply.payload, hook_input: shownHook(reply.payload.hook_input as Frame) } }
        : reply
    case 'query.result': {
      const { payload } = reply
      return payload.success ? { ...reply, payload: { success: true, result: shortly(payload.result) } } : reply
    }
    default:
      return reply
  }
}

/** Lists and records are the program's own, and longer with every version. */
const shortly = (result: unknown) => (Array.isArray(result) ? '[...]' : result === null ? null : '{...}')

function shownFrame(frame: Frame): Frame | null {
  const { type, subtype } = frame
  switch (type) {
    case 'system':
      return subtype === 'init' ? { type, subtype, model: frame.model, permissionMode: frame.permissionMode } : null
    case 'assistant':
    case 'user':
      return { type, content: blocksOf(frame) }
    case 'result':
      return { type, subtype, is_error: frame.is_error, terminal_reason: frame.terminal_reason }
    default:
      return null
  }
}

function blocksOf({ message }: Frame): unknown {
  const { content } = message as { content: unknown }
  if (!Array.isArray(content)) return content
  return content.map(({ type, text, name, input, content: given, is_error }: Frame) => {
    if (type === 'text') return { type, text }
    return type === 'tool_use' ? { type, name, input } : { type, content: given, is_error }
  })
}

const shownHook = ({ hook_event_name, tool_name, tool_input }: Frame): Frame => ({
  hook_event_name,
  ...(tool_name === undefined ? {} : { tool_name, tool_input }),
})
