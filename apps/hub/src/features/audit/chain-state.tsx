import type { AuditState } from '@roundhouse/backend-types'
import { StatusBadge } from '../../ui/status-badge'

/** Whether the log is what was written. The head is worth noting elsewhere: `npm run audit:check -- --head` looks for it. */
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
            Row {id}: the data was put back to an older state.{' '}
            {lostUpTo === null ? '' : `Rows up to ${lostUpTo} had been written before. `}
            If nobody restored a backup, look into who can write to the data folder.
          </span>
        ))}
      </p>
    )
  }
  const { id, requestId, why } = broken
  const where = id === undefined ? `request ${requestId}` : `row ${id}`
  return (
    <div role="alert" className="mb-4 rounded-md border border-line bg-failed-soft px-3 py-2 text-sm">
      <p className="font-medium text-failed">This log is not what was written</p>
      <p className="[overflow-wrap:anywhere]">
        After {count} good rows, at {where}: {why}. Somebody may have changed the database. Keep a copy of the data
        folder, and look into who can write to it.
      </p>
    </div>
  )
}
