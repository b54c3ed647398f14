import type { ReactNode } from 'react'

/** The frame of a list page: a fixed header and a scrolling body. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className="flex h-12 shrink-0 items-center justify-between gap-3 border-line border-b bg-surface px-4 md:px-6">
        <h1 className="truncate font-semibold text-base">{title}</h1>
        <div className="flex items-center gap-2">{actions}</div>
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-4xl px-4 py-5 md:px-6">{children}</div>
      </main>
    </>
  )
}

export function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="mb-8">
      <h2 className="mb-2 flex items-baseline gap-2 font-medium text-ink-2 text-sm">
        {title}
        {count === undefined ? null : <span className="text-ink-3 tabular-nums">{count}</span>}
      </h2>
      {children}
    </section>
  )
}
