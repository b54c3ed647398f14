'use client'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { CommandLine } from '../../../ui/forms/command-line'

interface NoticeLineProps {
  tone: 'quiet' | 'failed'
  action?: ReactNode
  /** What to run on the machine. */
  command?: string | undefined
  testId?: string
  children: ReactNode
}

/** One sentence above the composer, and an action. */
export function NoticeLine({ tone, action, command, testId, children }: NoticeLineProps) {
  return (
    <div
      data-testid={testId}
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 text-sm',
        tone === 'failed' ? 'border-failed-line bg-failed-soft' : 'border-line bg-sunken',
      )}
    >
      <p className="min-w-0 flex-1 basis-64 text-ink-2 [overflow-wrap:anywhere]">{children}</p>
      {command ? <CommandLine command={command} /> : null}
      {action}
    </div>
  )
}
