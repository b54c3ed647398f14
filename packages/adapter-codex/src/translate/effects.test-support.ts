/** Builders of effects, for whole-object assertions on what a recording gives. */
import type { BackendOutput, PermissionRequest, TurnCompleteInfo } from '@roundhouse/backend-types'
import type { Effect } from './effects'

export const out = (output: BackendOutput): Effect => ({ type: 'output', output })
export const ask = (request: PermissionRequest): Effect => ({ type: 'ask', request })
export const done = (info: TurnCompleteInfo): Effect => ({ type: 'turn_completed', info })
export const noMetadata = (model: string): Effect =>
  out({
    kind: 'system',
    subtype: 'warning',
    data: {
      message: `Model metadata for \`${model}\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.`,
    },
  })
/** A block of text as it streams and as it is finished. */
export const block = (
  blockId: string,
  kind: 'assistant_text' | 'thinking',
  pieces: string[],
  parentCallId?: string,
): Effect[] => {
  const nested = parentCallId === undefined ? {} : { parentCallId }
  return [
    ...pieces.map((text): Effect => ({ type: 'live', delta: { blockId, kind, text, ...nested } })),
    out({ kind, text: pieces.join(''), blockId, ...nested }),
  ]
}
export const says = (blockId: string, ...pieces: string[]) => block(blockId, 'assistant_text', pieces)
export const window = (used: number, total = 258_400) => ({ used, total })
export const tokens = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
})
export const denied = (callId: string) => [{ toolName: 'commandExecution', callId }]

/** The command of several traces, with what it is asked about. */
export function asksFor(callId: string, command: string): Effect[] {
  const input = { command: `/bin/bash -lc '${command}'`, cwd: '/workspace' }
  const meta = {
    backend: 'codex',
    canEdit: false,
    canExplainDeny: true,
    reason: 'Need to leave the sandbox',
    cwd: '/workspace',
    // What Codex proposes: a plain command in words, anything else as the text of a shell.
    suggestedCommands: [/[>&]/.test(command) ? ['/bin/bash', '-lc', command] : command.split(' ')],
  }
  const toolName = 'commandExecution'
  return [out({ kind: 'tool_use', toolName, input, callId }), ask({ callId, toolName, input, meta })]
}
