'use client'
import type { Decision, PermissionAsk } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useState } from 'react'
import { Button } from '../../ui/forms/button'
import { late } from '../../ui/overlays/late'
import { EscapeHint, KeyHint } from './decision/key-hint'
import { sessionWords } from './decision/session-words'

const DecisionMeanings = late(() => import('./decision/decision-meanings').then((module) => module.DecisionMeanings))
const ReasonForm = late(() => import('./decision/reason-form').then((module) => module.ReasonForm))
const ScopeChooser = late(() => import('./scope-chooser').then((module) => module.ScopeChooser))
const RuleChooser = late(() => import('./rule-chooser').then((module) => module.RuleChooser))

export type Choosing = 'session' | 'always' | null

export interface DecisionButtonsProps {
  ask: PermissionAsk
  backend: string
  /** The buttons are not armed yet, or a decision is on its way. */
  disabled: boolean
  /** A part of the action has not been on the screen yet, so nobody can allow it (PERM-7). */
  unseen: boolean
  /** A part of the action is folded. */
  folded: boolean
  /** The page's keys belong to this prompt. */
  keys: boolean
  onDecide: (decision: Decision, scopeId?: string, always?: true) => void
  /** Absent if the program takes no edit or this person may not edit. */
  onEdit?: () => void
  /** The person is choosing the scope of a grant, or of a rule of the folder. */
  choosing: Choosing
  onChoosing: (choosing: Choosing) => void
  /** This person may leave a rule on the machine. */
  mayRule: boolean
  /** The turn that asked is still running. */
  canStop: boolean
  /** `null` if nobody is writing a reason. */
  reason: string | null
  onReason: (reason: string | null) => void
}

/** The buttons Allow, Allow for session, Always allow here, Deny (with a reason) and Stop turn, with the meaning of each. */
export function DecisionButtons(props: DecisionButtonsProps) {
  const {
    ask,
    backend,
    disabled,
    unseen,
    folded,
    keys,
    onDecide,
    onEdit,
    canStop,
    reason,
    onReason,
    choosing,
    onChoosing,
    mayRule,
  } = props
  const [explained, setExplained] = useState(false)
  if (reason !== null) {
    return (
      <ReasonForm
        label="Reason for the model"
        placeholder={ask.canExplainDeny ? 'Reason for the model (optional)' : 'Reason (optional)'}
        send="Deny"
        disabled={disabled}
        reason={reason}
        onReason={onReason}
        onSend={() => onDecide('deny')}
      />
    )
  }
  const rule = mayRule ? ask.folderRule : undefined
  if (choosing !== null && scopesOf(ask, choosing)) {
    return <ScopeChoice {...props} choosing={choosing} disabled={disabled || unseen} />
  }
  // A phone shows two rows: the allowing buttons, then the others.
  const others = onEdit && canStop ? 'col-span-2' : 'col-span-3'
  return (
    <>
      <div className="grid grid-cols-6 gap-2 sm:flex sm:flex-wrap">
        <Button look="solid" className="col-span-3" disabled={disabled || unseen} onClick={() => onDecide('allow')}>
          Allow <KeyHint on={keys}>a</KeyHint>
        </Button>
        <Button className="col-span-3" disabled={disabled || unseen} onClick={() => onDecide('allow_session')}>
          {ask.scopes ? 'Allow for session…' : 'Allow for session'} <KeyHint on={keys}>s</KeyHint>
        </Button>
        {rule ? (
          <Button
            className="col-span-6"
            disabled={disabled || unseen}
            title={`In ${rule.folder}`}
            onClick={() => onChoosing('always')}
          >
            Always allow here… <KeyHint on={keys}>f</KeyHint>
          </Button>
        ) : null}
        {onEdit ? (
          <Button className={others} disabled={disabled} title="Change what runs, then allow it." onClick={onEdit}>
            Edit… <KeyHint on={keys}>e</KeyHint>
          </Button>
        ) : null}
        <Button className={onEdit || canStop ? others : 'col-span-6'} disabled={disabled} onClick={() => onReason('')}>
          Deny… <KeyHint on={keys}>d</KeyHint>
        </Button>
        {canStop ? (
          <Button
            data-stops-turn
            look="danger"
            disabled={disabled}
            onClick={() => onDecide('abort')}
            className={clsx(others, 'sm:ml-auto')}
          >
            Stop turn <KeyHint on={keys}>x</KeyHint>
          </Button>
        ) : null}
      </div>
      {ask.scopes ? null : <p className="text-ink-3 text-xs">{sessionWords(ask, backend)}</p>}
      {/* Shares a row with the other line: an extra row would hide more of the action. */}
      <div className="flex flex-wrap-reverse items-start justify-between gap-x-3 text-xs">
        <details className="max-w-full text-ink-3" onToggle={(event) => setExplained(event.currentTarget.open)}>
          <summary className="w-fit hover:text-ink">What each decision does</summary>
          {explained ? (
            <DecisionMeanings ask={ask} backend={backend} canStop={canStop} canEdit={onEdit !== undefined} />
          ) : null}
        </details>
        {unseen ? (
          <p className="text-needs" data-testid="prompt-unseen">
            {folded ? 'Show all of it to allow.' : 'Read to the end to allow.'}
          </p>
        ) : (
          <EscapeHint on={keys} />
        )}
      </div>
    </>
  )
}

const scopesOf = ({ scopes, folderRule }: PermissionAsk, choosing: 'session' | 'always') =>
  choosing === 'session' ? scopes : folderRule?.scopes

type ScopeChoiceProps = Pick<DecisionButtonsProps, 'ask' | 'disabled' | 'onDecide' | 'onChoosing'> & {
  choosing: 'session' | 'always'
}

/** What the permission covers: for the session, or always in the folder. */
function ScopeChoice({ ask, choosing, disabled, onDecide, onChoosing }: ScopeChoiceProps) {
  const back = () => onChoosing(null)
  if (choosing === 'always') {
    if (!ask.folderRule) return null
    const onAllow = (scopeId: string) => onDecide('allow_session', scopeId, true)
    return <RuleChooser offer={ask.folderRule} disabled={disabled} onAllow={onAllow} onBack={back} />
  }
  return (
    <ScopeChooser
      label="Allow for session"
      legend="For the rest of this session, allow"
      until="For up to 8 hours. You can revoke it."
      scopes={ask.scopes ?? []}
      disabled={disabled}
      onAllow={(scopeId) => onDecide('allow_session', scopeId)}
      onBack={back}
    />
  )
}
