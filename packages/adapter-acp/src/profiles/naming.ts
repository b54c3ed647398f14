/** Names the calls of programs that report only a kind and a title. Pure. */

import { asRecord, asText, isEmpty, type Json } from '@roundhouse/adapter-kit/read'
import type { NameCall } from '../translate/calls'
import type { ToolCall } from '../translate/tool-call'

/** The kind names the call. The title is for people, so it is never read as a command. */
export const nameByKind: NameCall = (call) => ({
  toolName: call.kind,
  input: isEmpty(call.rawInput) ? unsaidInput(call) : call.rawInput,
})

/** Stands in for the input that the program does not report: title, locations, changes and texts of the call. */
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
