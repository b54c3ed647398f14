/** The message that answers an ask: the same one that an orchestrator would publish. Pure. */
import type { PublishedMessage } from '@roundhouse/backend-types'

export type AnswerKind = 'approve' | 'reject'

export interface Answer {
  kind: AnswerKind
  /** The program reads it with the answer. */
  text: string
}

const WITHOUT_REASON = 'A person rejected it without a reason.'

export function answerMessage(peerId: string, requestId: string, { kind, text }: Answer, id: string): PublishedMessage {
  const base = { v: 1, id, topic: `cmd.${peerId}.${kind}`, correlation_id: requestId } as const
  const words = text.trim()
  switch (kind) {
    case 'approve':
      return {
        ...base,
        schema: 'cmd-approve-v1',
        data: { correlation_id: requestId, ...(words ? { text: words } : {}) },
      }
    case 'reject':
      return { ...base, schema: 'cmd-reject-v1', data: { correlation_id: requestId, reason: words || WITHOUT_REASON } }
  }
}
