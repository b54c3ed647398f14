/** Requests of the CLI that nobody here answers. */
import { controlError, type Frame, textAt } from '../wire/frames'
import type { Translated } from './translated'

/** Left unanswered, the CLI would wait for ever. */
export function unsupported(frame: Frame, subtype: string | undefined): Translated[] {
  const requestId = textAt(frame, 'request_id') ?? ''
  return [
    { type: 'reply', frame: controlError(requestId, `Unsupported control request: ${subtype ?? 'none'}`) },
    { type: 'output', output: { kind: 'system', subtype: 'unsupported_request', data: { request: subtype } } },
  ]
}
