'use client'
import { type PermissionAnswer, type PermissionAsk, REASON_LIMIT } from '@roundhouse/backend-types'
import { Button } from '../../ui/button'
import { answerWords } from './answer-words'
import { ScopeChooser } from './scope-chooser'

export interface PromptAnswersProps {
  ask: PermissionAsk
  backend: string
  /** Not armed yet, or on its way. */
  disabled: boolean
  /** A part of the action has not been on the screen yet: nobody allows what they could not read (PERM-7). */
  unseen: boolean
  /** The page's keys are this prompt's. */
  keys: boolean
  onAnswer: (decision: PermissionAnswer, scopeId?: string) => void
  /** What the session allows is being chosen. */
  choosing: boolean
  onChoosing: (choosing: boolean) => void
  /** `null`: nobody is explaining a refusal. */
  reason: string | null
  onReason: (reason: string | null) => void
}

/** Allow, allow for session, deny (with a reason), abort; and what each of them does here. */
export function PromptAnswers(props: PromptAnswersProps) {
  if (props.reason !== null) return <DenyForm {...props} reason={props.reason} />
  const { ask, backend, disabled, unseen, keys, onAnswer, onReason, choosing, onChoosing } = props
  if (choosing && ask.scopes) {
    return (
      <ScopeChooser
        scopes={ask.scopes}
        disabled={disabled || unseen}
        onAllow={(scopeId) => onAnswer('allow_session', scopeId)}
        onBack={() => onChoosing(false)}
      />
    )
  }
  const words = answerWords(ask, backend)
  return (
    <>
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <Button look="solid" disabled={disabled || unseen} title={words.allow} onClick={() => onAnswer('allow')}>
          Allow <Key on={keys}>a</Key>
        </Button>
        <Button disabled={disabled || unseen} title={words.allow_session} onClick={() => onAnswer('allow_session')}>
          {ask.scopes ? 'Allow for session…' : 'Allow for session'} <Key on={keys}>s</Key>
        </Button>
        <Button disabled={disabled} title={words.deny} onClick={() => onReason('')}>
          Deny… <Key on={keys}>d</Key>
        </Button>
        <Button
          look="danger"
          disabled={disabled}
          title={words.abort}
          onClick={() => onAnswer('abort')}
          className="sm:ml-auto"
        >
          Stop turn <Key on={keys}>x</Key>
        </Button>
      </div>
      {unseen ? (
        <p className="text-needs text-xs" data-testid="prompt-unseen">
          Read to the end to allow.
        </p>
      ) : null}
      <p className="text-ink-3 text-xs">{words.allow_session}</p>
      <details className="text-ink-3 text-xs">
        <summary className="w-fit hover:text-ink">What each answer does</summary>
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3">
          <dt>Allow</dt>
          <dd>{words.allow}</dd>
          <dt>Deny</dt>
          <dd>{words.deny}</dd>
          <dt>Stop turn</dt>
          <dd>{words.abort}</dd>
        </dl>
      </details>
    </>
  )
}

function DenyForm({ ask, disabled, onAnswer, reason, onReason }: PromptAnswersProps & { reason: string }) {
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer('deny')
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        aria-label="Reason for the model"
        placeholder={ask.canExplainDeny ? 'Reason for the model (optional)' : 'Reason (optional)'}
        value={reason}
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onReason(null)
        }}
        maxLength={REASON_LIMIT}
        className="h-8 min-w-0 flex-1 basis-56 rounded-md border border-line-strong bg-surface px-2.5 text-sm"
      />
      {reason.length > REASON_LIMIT - 200 ? (
        <p className="basis-full text-ink-3 text-xs" aria-live="polite">
          {`${reason.length} of ${REASON_LIMIT} characters`}
        </p>
      ) : null}
      <Button type="submit" look="danger" disabled={disabled}>
        Deny
      </Button>
      <Button look="plain" onClick={() => onReason(null)}>
        Back
      </Button>
    </form>
  )
}

/** The key's letter stands there only where the key works. */
function Key({ on, children }: { on: boolean; children: string }) {
  if (!on) return null
  return (
    <kbd
      aria-hidden
      className="hidden rounded border border-current/20 px-1 font-mono text-[10px] opacity-70 pointer-fine:inline"
    >
      {children}
    </kbd>
  )
}
