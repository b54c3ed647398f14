/** Merges the updates of a tool call, which the protocol sends piece by piece. Pure. */
import { asList, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'

export interface ToolCall {
  callId: string
  /** `execute`, `edit`, `read` and others; a kind that is new is kept as it is. */
  kind: string
  /** The first title. Some programs begin with the name of the tool and say later what it does. */
  firstTitle: string | undefined
  title: string | undefined
  status: string
  locations: string[]
  rawInput: Json
  rawOutput: unknown
  content: Json[]
}

/** Fields that the update does not have keep their values. */
export function mergeCall(callId: string, before: ToolCall | undefined, update: Json): ToolCall {
  const title = asText(update.title) ?? before?.title
  const locations = asList(update.locations).flatMap((location) => asText(asRecord(location).path) ?? [])
  return {
    callId,
    kind: asText(update.kind) ?? before?.kind ?? 'other',
    firstTitle: before?.firstTitle ?? title,
    title,
    status: asText(update.status) ?? before?.status ?? 'pending',
    locations: locations.length > 0 ? locations : (before?.locations ?? []),
    rawInput: compact({ ...before?.rawInput, ...asRecord(update.rawInput) }),
    rawOutput: update.rawOutput ?? before?.rawOutput,
    content: Array.isArray(update.content) ? update.content.map(asRecord) : (before?.content ?? []),
  }
}

/** The result of the call: its text if the content is only text, otherwise the complete content. */
export function resultOf({ content, rawOutput }: ToolCall): unknown {
  const texts = content.map((entry) => (entry.type === 'content' ? textOf(entry.content) : undefined))
  if (content.length > 0 && texts.every((text) => text !== undefined)) return texts.join('\n')
  if (content.length > 0) return content
  const { output, error } = asRecord(rawOutput)
  return asText(rawOutput) ?? asText(output) ?? asText(error) ?? rawOutput ?? ''
}

function textOf(block: unknown): string | undefined {
  const { type, text } = asRecord(block)
  return type === 'text' ? asText(text) : undefined
}
