'use client'
/**
 * Shows a requested action: its full input, where it would run, why, and what each decision does on this backend. The
 * action scrolls; the decision buttons stay.
 */
import type { Decision } from '@roundhouse/backend-types'
import { useState } from 'react'
import { useMay } from '../../live/use-me'
import { late } from '../../ui/overlays/late'
import { readOnIn, ScrollBody } from '../../ui/scroll-body'
import { SeenWholeOf, useSeenWhole } from '../../ui/seen-whole'
import { OddNote } from '../../ui/text/code-text'
import { PlainText } from '../../ui/text/plain-text'
import { MembersView } from '../transcript/cards/late-members'
import { ToolDetailView } from '../transcript/cards/tool-detail'
import { inputDetail, undrawnInput } from '../transcript/changes/input-detail'
import { cutOfAsk, wordsOfAsk } from '../transcript/changes/tool-words'
import { codeTextsOf } from './code-texts'
import { canStopTurn } from './decision/can-stop'
import { keptDrafts } from './decision/kept-drafts'
import { useDecision } from './decision/use-decision'
import { useReason } from './decision/use-reason'
import { type Choosing, DecisionButtons } from './decision-buttons'
import { PromptFacts } from './frame/prompt-facts'
import { withoutRepeatedChange } from './frame/repeated-change'
import { withoutRepeatedFolder } from './frame/repeated-folder'
import { RequestFrame, type RequestPromptProps } from './frame/request-frame'
import { inputEditOf } from './input-edit'
import { useDecisionKeys } from './use-decision-keys'

const EditForm = late(() => import('./edit-form').then((module) => module.EditForm))

export function PermissionPrompt(props: RequestPromptProps) {
  const { request, backend, machine, keys = false } = props
  const { ask } = request
  const cut = cutOfAsk(ask)
  const tool = wordsOfAsk(ask)
  const detail = inputDetail(ask.shape, ask.input, cut)
  const undrawn = withoutRepeatedFolder(undrawnInput(ask.shape, ask.input, cut), ask.cwd)
  const rest = withoutRepeatedChange(undrawn, detail, ask.changes)
  const reason = useReason(ask.requestId)
  const [choosing, setChoosing] = useState<Choosing>(null)
  const mayEdit = useMay('session.prompt', true)
  const edit = mayEdit ? inputEditOf(ask) : undefined
  const editKey = `${ask.requestId}.edit`
  const [isEditing, setEditing] = useState(() => edit !== undefined && keptDrafts.read(editKey) !== undefined)
  const whole = useSeenWhole()
  const canStop = canStopTurn(ask, props.turnId)
  const decision = useDecision(request, keys, () => {
    keptDrafts.drop(editKey)
    reason.drop()
  })

  function decide(chosen: Decision, scopeId?: string, always?: true) {
    if (allows(chosen) && !whole.seen) {
      // An allow before the whole action was shown scrolls to the rest instead.
      readOnIn(decision.box.current)
      return
    }
    if (chosen === 'abort' && !canStop) return
    if (chosen === 'allow_session' && ask.scopes && scopeId === undefined) {
      if (decision.armed) setChoosing('session')
      return
    }
    decision.send({
      decision: chosen,
      ...(scopeId === undefined ? {} : { scopeId }),
      ...(always ? { always } : {}),
      ...(chosen === 'deny' && reason.text ? { reason: reason.text } : {}),
    })
  }
  useDecisionKeys(decision.keysArmed && reason.text === null && !isEditing && choosing === null, {
    decide,
    explain: () => reason.change(''),
    always: () => setChoosing(mayEdit && ask.folderRule ? 'always' : null),
    edit: () => setEditing(edit !== undefined),
  })

  function changeReason(next: string | null) {
    if (next === null) decision.focusBox()
    reason.change(next)
  }

  function changeChoosing(next: Choosing) {
    if (next === null) decision.focusBox()
    setChoosing(next)
  }

  return (
    <RequestFrame
      {...props}
      decision={decision}
      label={`Permission to ${tool.verb} ${tool.object}`}
      title={
        <>
          {backend} asks to <PlainText>{tool.wish}</PlainText>
        </>
      }
      controls={
        edit && isEditing ? (
          <EditForm
            requestId={ask.requestId}
            edit={edit}
            disabled={!decision.armed || !whole.seen}
            onAllow={(updatedInput) => decision.send({ decision: 'allow', updatedInput })}
            onBack={() => {
              decision.focusBox()
              setEditing(false)
            }}
          />
        ) : (
          <DecisionButtons
            ask={ask}
            backend={backend}
            disabled={!decision.armed}
            unseen={!whole.seen}
            folded={whole.folded > 0}
            keys={keys}
            onDecide={decide}
            {...(edit ? { onEdit: () => setEditing(true) } : {})}
            canStop={canStop}
            reason={reason.text}
            onReason={changeReason}
            choosing={choosing}
            onChoosing={changeChoosing}
            mayRule={mayEdit}
          />
        )
      }
    >
      <ScrollBody className="space-y-2 px-3 pt-3 pb-2" onMore={whole.below} folded={whole.folded}>
        <SeenWholeOf whole={whole}>
          <div className="space-y-2">
            <ToolDetailView detail={detail} complete found={ask.changes} keep={ask.requestId} />
            {rest.length > 0 ? (
              <MembersView members={rest} label="Further input" complete keep={ask.requestId} />
            ) : null}
            <OddNote texts={codeTextsOf(detail, rest, ask.cwd)} />
            <PromptFacts request={request} machine={machine} />
          </div>
        </SeenWholeOf>
      </ScrollBody>
    </RequestFrame>
  )
}

const allows = (decision: Decision) => decision === 'allow' || decision === 'allow_session'
