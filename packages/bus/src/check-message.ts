/** Whether a message is valid: its size, its envelope, its topic, its schema, its data. Says nothing about who may publish it. */
import { busLimits, type ErrorCode, firstFault, PublishedMessage } from '@roundhouse/backend-types'
import type { z } from 'zod'
import { belongsOn, schemaNamed } from './schemas'
import { readTopic } from './topics'

export interface Refused {
  ok: false
  code: ErrorCode
  /** What is wrong, without the value. */
  message: string
  /** Where, in dots. */
  path: string
}
export type Checked = { ok: true; message: PublishedMessage } | Refused

const encoder = new TextEncoder()

/** Whether a value as JSON takes more than so many bytes. True for one that is no JSON. */
export function isLargerMessage(message: unknown, bytes: number): boolean {
  try {
    const text = JSON.stringify(message)
    // No character of a string takes more than three: most messages are not encoded to be counted.
    return text === undefined || (text.length * 3 > bytes && encoder.encode(text).length > bytes)
  } catch {
    return true
  }
}

const refused = (code: ErrorCode, message: string, path: string): Refused => ({ ok: false, code, message, path })

/** `message` as it came from a publisher. */
export function checkMessage(message: unknown, limits: { messageBytes: number } = busLimits): Checked {
  if (isLargerMessage(message, limits.messageBytes))
    return refused('MESSAGE_TOO_LARGE', `A message has at most ${limits.messageBytes} bytes.`, '')
  const read = PublishedMessage.safeParse(message)
  if (!read.success) return wrongAt(read.error, '')
  const { topic, schema, data } = read.data
  const content = checkContent({ topic, schema, data })
  return content ?? { ok: true, message: read.data }
}

/** The part that a session's `published` event has too. Null: it is valid. */
export function checkContent(content: { topic: string; schema: string; data: unknown }): Refused | null {
  const { topic, schema: name, data } = content
  if (!readTopic(topic)) return refused('MESSAGE_INVALID', 'The convention has no such topic.', 'topic')
  const schema = schemaNamed(name)
  if (!schema) return refused('SCHEMA_UNKNOWN', `There is no schema ${name}.`, 'schema')
  if (!belongsOn(name, schema, topic))
    return refused('MESSAGE_INVALID', `${name} does not belong on this topic.`, 'schema')
  const read = schema.data.safeParse(data)
  return read.success ? null : wrongAt(read.error, 'data')
}

function wrongAt(error: z.ZodError, under: string): Refused {
  const { path, text } = firstFault(error, 'message', under)
  return refused('MESSAGE_INVALID', text, path)
}
