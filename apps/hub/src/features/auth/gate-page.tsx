import type { ReactNode } from 'react'
import { Mark } from '../../ui/mark'

/** The frame of the two pages that need no login. */
export function GatePage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <main className="grid min-h-full place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center gap-2.5">
          <Mark className="size-7 text-accent" />
          <span className="font-semibold text-lg tracking-tight">Roundhouse</span>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-pop">
          <h1 className="font-semibold text-lg">{title}</h1>
          <p className="mt-1 mb-5 text-ink-2 text-sm">{lead}</p>
          {children}
        </div>
      </div>
    </main>
  )
}
