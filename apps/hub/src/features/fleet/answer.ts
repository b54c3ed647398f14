/** What a person answers to an ask, and how the page says what became of it. Pure. */
import type { AskAnswer, AskAnswerRequest, AskView, InboxAsk } from '@roundhouse/backend-types'

export const keyOf = ({ peerId, ask }: Pick<InboxAsk, 'peerId' | 'ask'>): string => `${peerId} ${ask.requestId}`

/** A title may be the name of a person, and a program may have chosen it. */
export const whoAsks = ({ kind, name }: Pick<InboxAsk, 'kind' | 'name'>): string =>
  kind === 'session' ? `Session “${name}”` : name

/** `option`: the id of one that the ask offers. */
export function answerRequest(decision: AskAnswerRequest['decision'], text: string, option?: string): AskAnswerRequest {
  const words = text.trim()
  return { decision, ...(words ? { text: words } : {}), ...(option === undefined ? {} : { option }) }
}

const deeds: Readonly<Record<AskAnswer['decision'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  set_phase: 'told another phase',
  inject_text: 'told what to do',
}

/** For whoever saw the ask and did not answer it. */
export function whatBecame({ ask, ...asker }: InboxAsk, { answer }: Pick<AskView, 'answer'>): string {
  const asked = `“${ask.message}”`
  if (!answer) return `${asked} is not open any more: ${whoAsks(asker)} went on without an answer.`
  return `${asked} Answered by ${answer.by}: ${answer.option?.label ?? deeds[answer.decision]}.`
}
