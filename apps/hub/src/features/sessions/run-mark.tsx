import type { SessionSummary } from '@roundhouse/backend-types'

const asks = {
  wait: 'A run: it ends after its first turn. What it asks waits for a person.',
  deny: 'A run: it ends after its first turn. What it asks is denied.',
} as const

/** Says that a session was started as a run, and what becomes of its permission requests. */
export function RunMark({ run }: Pick<SessionSummary, 'run'>) {
  if (!run) return null
  return (
    <>
      <span className="shrink-0 font-medium" title={asks[run.onPermission]} data-testid="run-mark">
        Run
      </span>
      <span aria-hidden>{' · '}</span>
    </>
  )
}
