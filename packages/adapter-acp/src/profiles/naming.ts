/** Names of calls, for programs that say no more than a kind and a title. Pure. */

import { asRecord, asText, isEmpty, type Json } from '@roundhouse/adapter-kit/read'
import type { NameCall } from '../translate/calls'
import type { ToolCall } from '../translate/tool-call'

/** A call is named by its kind. Its title is for people and is never read as a command. */
export const nameByKind: NameCall = (call) => ({
  toolName: call.kind,
  input: isEmpty(call.rawInput) ? unsaidInput(call) : call.rawInput,
})

/** Everything else that is known of a call whose input the program does not say. */
export function unsaidInput({ title, locations, content }: ToolCall): Json {
  const changes = diffsOf(content)
  const texts = content.flatMap(({ content: block }) => asText(asRecord(block).text) ?? [])
  return {
    ...(title === undefined ? {} : { title }),
    ...(locations.length > 0 ? { locations } : {}),
    ...(changes.length > 0 ? { changes } : {}),
    ...(texts.length > 0 ? { details: texts.join('\n') } : {}),
  }
}

export const diffsOf = (content: readonly Json[]) =>
  content
    .filter(({ type }) => type === 'diff')
    .map(({ path, oldText, newText }) => ({
      path: asText(path) ?? '',
      oldText: asText(oldText) ?? '',
      newText: asText(newText) ?? '',
    }))
