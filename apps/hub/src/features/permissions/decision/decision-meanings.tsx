'use client'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { decisionWords } from './decision-words'

interface DecisionMeaningsProps {
  ask: PermissionAsk
  backend: string
  canStop: boolean
  /** The input can be edited before it is allowed. */
  canEdit: boolean
}

/** Describes what each decision does on this backend. */
export function DecisionMeanings({ ask, backend, canStop, canEdit }: DecisionMeaningsProps) {
  const words = decisionWords(ask, backend)
  return (
    <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3">
      <dt>Allow</dt>
      <dd>{words.allow}</dd>
      {ask.scopes ? (
        <>
          <dt>Allow for session…</dt>
          <dd>{words.allow_session}</dd>
        </>
      ) : null}
      {ask.folderRule ? (
        <>
          <dt>Always allow here…</dt>
          <dd>{words.always}</dd>
        </>
      ) : null}
      {canEdit ? (
        <>
          <dt>Edit…</dt>
          <dd>{words.edit}</dd>
        </>
      ) : null}
      <dt>Deny…</dt>
      <dd>{words.deny}</dd>
      {canStop ? (
        <>
          <dt>Stop turn</dt>
          <dd>{words.abort}</dd>
        </>
      ) : null}
    </dl>
  )
}
