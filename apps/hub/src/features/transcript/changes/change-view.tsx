'use client'
import type { FileChange } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useMemo } from 'react'
import { Button } from '../../../ui/forms/button'
import { useKept } from '../../../ui/kept-state'
import { LongText } from '../text/long-text'
import { countChanges, type DiffRow, editRows, patchRows } from './diff-rows'
import { DiffView } from './diff-view'
import { changeWords, restWords } from './file-change-words'
import type { DrawnChange } from './input-detail'

export interface ChangeViewProps {
  change: DrawnChange
  /** The files of the action as the machine found them. */
  found?: readonly FileChange[] | undefined
  /** A person decides about it. */
  complete: boolean
  keep: string
}

/** Shows the change of a file line by line, compared with the present file as far as the machine read it. */
export function ChangeView({ change, found, complete, keep }: ChangeViewProps) {
  const fact = found?.find(({ path }) => path === change.path)
  const rows = useMemo(() => rowsOf(change, fact?.diff), [change, fact?.diff])
  const words = changeWords(change, fact, complete)
  const rest = fact && restWords(fact)
  const isCompared = fact?.diff !== undefined || fact?.was === 'missing'
  const counts = fact?.diff === undefined ? countChanges(rows) : fact
  return (
    <div data-testid="file-change">
      {words ? (
        <p
          className={clsx('mb-1 text-xs', complete ? 'font-medium text-ink' : 'text-ink-2')}
          data-testid="change-words"
        >
          {words}
        </p>
      ) : null}
      <DiffView
        rows={rows}
        label={change.path}
        // The position of an edit in its file is unknown.
        numbered={isCompared || change.kind !== 'edit'}
        added={counts.added}
        // How much is removed from a file that was not compared is unknown.
        removed={isCompared || !isWhole(change) ? counts.removed : undefined}
        keep={keep}
      />
      {rest ? <p className="mt-1 text-xs">{rest}</p> : null}
      {fact?.diff === undefined ? null : (
        <Given change={change} cut={fact.diffCut === true} complete={complete} keep={keep} />
      )}
    </div>
  )
}

const isWhole = ({ kind }: DrawnChange) => kind === 'write' || kind === 'add'

interface GivenProps {
  change: DrawnChange
  cut: boolean
  complete: boolean
  keep: string
}

/** The requested text: at once if the change shows only its beginning, on demand if it shows all lines. */
function Given({ change, cut, complete, keep }: GivenProps) {
  const [open, setOpen] = useKept(`${keep}-given`, false)
  if (cut) return <Texts change={change} complete={complete} keep={keep} />
  if (!isWhole(change)) return null
  return (
    <>
      <Button size="sm" className="mt-1" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide the whole new text' : 'Show the whole new text'}
      </Button>
      {open ? <Texts change={change} complete={false} keep={keep} /> : null}
    </>
  )
}

function Texts({ change, complete, keep }: Omit<GivenProps, 'cut'>) {
  if (change.kind === 'patch') return null
  const texts =
    change.kind === 'edit'
      ? { 'Text to replace': change.before, 'New text': change.after }
      : { 'Whole new text': change.text }
  return Object.entries(texts).map(([label, text]) => (
    <div key={label} className="mt-1 text-xs">
      <p>{label}:</p>
      <LongText text={text} label={label} complete={complete} keep={keep} />
    </div>
  ))
}

function rowsOf(change: DrawnChange, diff: string | undefined): DiffRow[] {
  if (diff !== undefined) return patchRows(diff)
  switch (change.kind) {
    case 'write':
    case 'add':
      return editRows('', change.text)
    case 'delete':
      return editRows(change.text, '')
    case 'edit':
      return editRows(change.before, change.after)
    case 'patch':
      return patchRows(change.diff)
  }
}
