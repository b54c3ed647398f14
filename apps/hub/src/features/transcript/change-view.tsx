'use client'
import { useMemo } from 'react'
import { editRows, patchRows } from './diff-rows'
import { DiffView } from './diff-view'

export interface ChangeViewProps {
  path: string
  change: { before: string; after: string } | { diff: string }
  keep: string
}

/** What becomes of a file, line by line. */
export function ChangeView({ path, change, keep }: ChangeViewProps) {
  const [before, after] = 'diff' in change ? [change.diff, null] : [change.before, change.after]
  const rows = useMemo(() => (after === null ? patchRows(before) : editRows(before, after)), [before, after])
  return <DiffView rows={rows} label={path} keep={keep} />
}
