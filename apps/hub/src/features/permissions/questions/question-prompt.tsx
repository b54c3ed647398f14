'use client'
/**
 * A program's question or form: its fields and the buttons Send answer, Decline and Stop turn. There is no Allow, and
 * required fields must be filled in. `1` to `9` choose in the marked question; Enter sends.
 */
import type { AskForm } from '@roundhouse/backend-types'
import { MessageCircleQuestion } from 'lucide-react'
import { useId, useState } from 'react'
import { ErrorNotice } from '../../../ui/forms/notice'
import { isForPage } from '../../../ui/keys/keyboard'
import { useKeyDown } from '../../../ui/keys/use-key-down'
import { ScrollBody } from '../../../ui/scroll-body'
import { PlainText } from '../../../ui/text/plain-text'
import { answersOf, choose, fieldDraft, nextField, optionOfKey, problemsOf, takesMany } from '../decision/answer-draft'
import { canStopTurn } from '../decision/can-stop'
import { keptDrafts } from '../decision/kept-drafts'
import { useDecision } from '../decision/use-decision'
import { useReason } from '../decision/use-reason'
import { PromptFacts } from '../frame/prompt-facts'
import { RequestFrame, type RequestPromptProps } from '../frame/request-frame'
import { QuestionButtons } from './question-buttons'
import { QuestionField } from './question-field'
import { useAnswerDraft } from './use-answer-draft'

export function QuestionPrompt({ form, ...props }: RequestPromptProps & { form: AskForm }) {
  const { request, keys = false, machine } = props
  const { ask } = request
  const reason = useReason(ask.requestId)
  const decision = useDecision(request, keys, () => {
    keptDrafts.drop(ask.requestId)
    reason.drop()
  })
  const [draft, setDraft] = useAnswerDraft(ask.requestId, form)
  const [marked, setMarked] = useState(() => nextField(form, draft)?.name ?? form.fields[0]?.name)
  /** Missing answers are shown after the first attempt to send. */
  const [isTried, setTried] = useState(false)
  const id = useId()
  const current = form.fields.find(({ name }) => name === marked)
  const problems = problemsOf(form, draft)
  const idOf = (name: string) => `${id}-${form.fields.findIndex((field) => field.name === name)}`

  function lead(name: string | undefined, focus: boolean) {
    if (name === undefined) return
    setMarked(name)
    const group = document.getElementById(idOf(name))
    group?.scrollIntoView({ block: 'nearest' })
    if (focus) group?.querySelector<HTMLElement>('input')?.focus()
  }

  function send() {
    setTried(true)
    const missing = nextField(form, draft)
    if (missing) lead(missing.name, true)
    else decision.send({ decision: 'allow', answers: answersOf(form, draft) })
  }

  function chooseByKey(key: string): boolean {
    const option = current && optionOfKey(current, key)
    if (!current || option === undefined) return false
    const next = { ...draft, [current.name]: choose(current, fieldDraft(draft, current), option) }
    setDraft(next)
    if (option === null) requestAnimationFrame(() => document.getElementById(`${idOf(current.name)}-own`)?.focus())
    else if (!takesMany(current)) lead(nextField(form, next, current.name)?.name, false)
    return true
  }

  const canSend = form.problem === undefined
  const canStop = canStopTurn(ask, props.turnId)
  useKeyDown(
    (event) => {
      if (event.repeat || !isForPage(event)) return
      const atPage = event.target === document.body || event.target === decision.box.current
      if (chooseByKey(event.key)) event.preventDefault()
      else if (event.key === 'Enter' && atPage && canSend) send()
      else if (event.key === 'd') decline()
      else if (event.key === 'x' && canStop) decision.send({ decision: 'abort' })
      else return
      event.preventDefault()
    },
    { active: decision.keysArmed && reason.text === null },
  )

  function decline() {
    if (ask.canExplainDeny) reason.change('')
    else decision.send({ decision: 'deny' })
  }

  const who = form.from ? `${form.from} asks through ${props.backend}` : `${props.backend} asks`
  const several = form.fields.length > 1 ? `${form.fields.length} questions` : 'a question'
  return (
    <RequestFrame
      {...props}
      decision={decision}
      label={`Question: ${form.message ?? form.fields[0]?.label ?? 'it cannot be shown'}`}
      title={<PlainText>{`${who} ${several}`}</PlainText>}
      icon={MessageCircleQuestion}
      enterSends
      controls={
        <QuestionButtons
          form={id}
          canSend={canSend}
          hasFields={form.fields.length > 0}
          canExplain={ask.canExplainDeny}
          disabled={!decision.armed}
          keys={keys}
          canStop={canStop}
          reason={reason.text}
          onReason={(next) => {
            if (next === null) decision.focusBox()
            reason.change(next)
          }}
          onDecline={decline}
          onDeny={() => decision.send({ decision: 'deny', ...(reason.text ? { reason: reason.text } : {}) })}
          onStop={() => decision.send({ decision: 'abort' })}
        />
      }
    >
      <ScrollBody className="px-3 pt-3 pb-2">
        <form
          id={id}
          noValidate
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
          onKeyDown={(event) => {
            // A chosen radio button has the focus, but takes no text.
            const isChoice = event.target instanceof HTMLInputElement && /^(radio|checkbox)$/.test(event.target.type)
            if (isChoice && !event.repeat && chooseByKey(event.key)) event.preventDefault()
          }}
        >
          {form.message ? (
            <p className="whitespace-pre-wrap text-sm [overflow-wrap:anywhere]">
              <PlainText>{form.message}</PlainText>
            </p>
          ) : null}
          {form.url ? <PageToOpen url={form.url} /> : null}
          {form.problem ? <ErrorNotice error={form.problem} next="You can decline it." /> : null}
          {form.fields.map((field) => (
            <QuestionField
              key={field.name}
              id={idOf(field.name)}
              field={field}
              value={fieldDraft(draft, field)}
              problem={isTried ? problems.get(field.name) : undefined}
              isMarked={decision.open && field.name === marked && form.fields.length > 1}
              showKeys={keys && decision.open && field.name === marked}
              disabled={!decision.open || !decision.mayDecide}
              onChange={(next) => setDraft({ ...draft, [field.name]: next })}
              onFocus={() => setMarked(field.name)}
            />
          ))}
        </form>
        <div className="mt-3">
          <PromptFacts request={request} machine={machine} />
        </div>
      </ScrollBody>
    </RequestFrame>
  )
}

/** Only a web address is a link; anything else is text. */
function PageToOpen({ url }: { url: string }) {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return (
    <p className="text-sm [overflow-wrap:anywhere]">
      Open this page, then answer here:{' '}
      {isWeb ? (
        <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent underline underline-offset-4">
          <PlainText>{url}</PlainText>
        </a>
      ) : (
        <PlainText>{url}</PlainText>
      )}
    </p>
  )
}
