/** An answer as the message that an orchestrator would publish: what the program reads is the same, whoever answers. Pure. */
import {
  type AskAnswer,
  type AskAnswerRequest,
  CodedError,
  type OpenAsk,
  type PublishedMessage,
} from '@roundhouse/backend-types'

const WITHOUT_REASON = 'A person rejected it without a reason.'

/** Of a message on `cmd.<peer>.<decision>`. */
export function answerData(requestId: string, { decision, text = '', option }: AskAnswerRequest) {
  const answers = { correlation_id: requestId }
  const words = text.trim()
  switch (decision) {
    case 'approve':
      return { ...answers, ...(option === undefined ? {} : { chosen: option }), ...(words ? { text: words } : {}) }
    case 'reject':
      return { ...answers, reason: words || WITHOUT_REASON }
  }
}

export interface AnswerTo {
  peerId: string
  requestId: string
  request: AskAnswerRequest
}

export function answerMessage({ peerId, requestId, request }: AnswerTo, id: string): PublishedMessage {
  const { decision } = request
  const base = { v: 1, id, topic: `cmd.${peerId}.${decision}`, correlation_id: requestId } as const
  return { ...base, schema: `cmd-${decision}-v1`, data: answerData(requestId, request) }
}

/** Throws `ANSWER_INVALID` where the ask does not offer that option. */
export function answerOf({ options }: OpenAsk, { decision, option: id }: AskAnswerRequest, by: By): AskAnswer {
  if (id === undefined) return { decision, ...by }
  if (decision !== 'approve')
    throw new CodedError('ANSWER_INVALID', 'An option is chosen by an approval.', { field: 'option' })
  const option = options.find((offered) => offered.id === id)
  if (!option) throw new CodedError('ANSWER_INVALID', 'The program does not offer that option.', { field: 'option' })
  return { decision, option, ...by }
}

type By = Pick<AskAnswer, 'by' | 'peerId' | 'at'>
