import type { AuditState } from '@roundhouse/backend-types'
import { StatusBadge } from '../../ui/status-badge'

/** Shows whether the audit log is intact. Note the head elsewhere: `npm run audit:check -- --head` looks for it. */
export function ChainState({ state: { count, head, restores, broken } }: { state: AuditState }) {
  if (broken === null) {
    return (
      <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-3 text-xs">
        <StatusBadge tone="done" label="Chain intact" />
        <span className="tabular-nums">{count} rows</span>
        <span className="min-w-0">
          head <code className="select-all [overflow-wrap:anywhere]">{head.hash}</code>
        </span>
        {restores.map(({ id, lostUpTo }) => (
          <span key={id} className="w-full text-needs">
            Row {id}: the data was restored to an older state.{' '}
            {lostUpTo === null ? '' : `Rows up to ${lostUpTo} had been written before that. `}
            If nobody restored a backup, check who can write to the data folder.
          </span>
        ))}
      </p>
    )
  }
  const { id, requestId, why } = broken
  const where = id === undefined ? `request ${requestId}` : `row ${id}`
  return (
    <div role="alert" className="mb-4 rounded-md border border-line bg-failed-soft px-3 py-2 text-sm">
      <p className="font-medium text-failed">This log was changed</p>
      <p className="[overflow-wrap:anywhere]">
        After {count} intact rows, at {where}: {why}. Someone may have changed the database. Keep a copy of the data
        folder, and check who can write to it.
      </p>
    </div>
  )
}
