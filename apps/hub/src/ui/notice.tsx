import type { ErrorBody } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** What happened, whether anything was lost, what to do; the code stands beside it to copy. */
export function ErrorNotice({ error, className }: { error: Pick<ErrorBody, 'code' | 'message'>; className?: string }) {
  return (
    <div role="alert" className={clsx('rounded-md border border-line bg-failed-soft px-3 py-2 text-sm', className)}>
      <span className="text-failed">{error.message}</span>{' '}
      <code className="select-all text-ink-3 text-xs">{error.code}</code>
    </div>
  )
}

/** An empty place that teaches the next step. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid place-items-center rounded-lg border border-line border-dashed px-6 py-12 text-center">
      <div className="max-w-md">
        <h2 className="font-semibold">{title}</h2>
        {children ? <div className="mt-1 text-ink-2 text-sm">{children}</div> : null}
        {action ? <div className="mt-4 flex justify-center gap-2">{action}</div> : null}
      </div>
    </div>
  )
}
