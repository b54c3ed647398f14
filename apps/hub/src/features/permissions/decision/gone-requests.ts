/** Describes requests that left this page without a decision made here, with the known reason. Pure. */
import type { RequestView } from '@roundhouse/backend-types'
import { type AnswerDraft, draftText } from './answer-draft'
import { formOf } from './form-of-ask'

export interface GoneRequest {
  requestId: string
  text: string
  /** What the person filled in and did not send. */
  unsent: string
}

export interface Before {
  shown: readonly RequestView[]
  /** Requests that were decided on this page. */
  here: ReadonlySet<string>
  draftOf: (requestId: string) => AnswerDraft | undefined
}

/** Only questions and forms: a person who is filling one in must learn what became of it. */
export function goneRequests({ shown, here, draftOf }: Before, now: readonly RequestView[]): GoneRequest[] {
  const isThere = new Set(now.map(({ ask }) => ask.requestId))
  return shown.flatMap((request) => {
    const { requestId } = request.ask
    const form = formOf(request.ask)
    if (!form || isThere.has(requestId) || here.has(requestId)) return []
    const draft = draftOf(requestId)
    return [{ requestId, text: words(request), unsent: draft ? draftText(form, draft) : '' }]
  })
}

function words({ ask, decision }: RequestView): string {
  const form = formOf(ask)
  const asked = form?.message ?? form?.fields[0]?.label ?? 'The question'
  if (!decision) return `“${asked}” is not open any more: it was answered elsewhere, or the program took it back.`
  const deed = decision.answer === 'allow' ? 'answered' : 'declined'
  return `“${asked}” was ${deed} by ${decision.userName}${decision.device ? ` (${decision.device})` : ''}.`
}
