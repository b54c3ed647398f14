import type { ErrorBody } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { CommandLine } from './command-line'

export interface ErrorNoticeProps {
  error: Pick<ErrorBody, 'code' | 'message'>
  /** What became of what the person did, and what to do now. */
  next?: string | undefined
  action?: ReactNode
  /** What to run on the machine. */
  command?: string | undefined
  className?: string
  id?: string
}

/** Says what happened, whether anything was lost, and what to do. People can copy the code. */
export function ErrorNotice({ error, next, action, command, className, id }: ErrorNoticeProps) {
  return (
    <div
      id={id}
      role="alert"
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line bg-failed-soft px-3 py-2 text-sm',
        className,
      )}
    >
      <p className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
        <span className="text-failed">{error.message}</span> {next ? <span>{next} </span> : null}
      </p>
      <CodeOf code={error.code} />
      {action}
      {command ? <CommandLine command={command} /> : null}
    </div>
  )
}

/** For a search or a report; it says nothing to a person. */
export function CodeOf({ code }: { code: string }) {
  return (
    <details className="text-ink-3 text-xs">
      <summary className="w-fit hover:text-ink">Details</summary>
      <code className="select-all">{code}</code>
    </details>
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

/** While an answer is on its way. It comes into view late, so that a quick answer makes nothing flicker. */
export function Loading({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="animate-late py-8 text-center text-ink-3 text-sm">
      {children}
    </p>
  )
}
