'use client'
import { useEffect } from 'react'
import { Button } from './forms/button'

export interface BrokenPageProps {
  error: Error & { digest?: string }
  reset: () => void
}

/** The page for an unexpected error. All data is at the hub and on the machines, so a reload loses nothing. */
export function BrokenPage({ error, reset }: BrokenPageProps) {
  useEffect(() => console.error(error), [error])
  return (
    <main className="grid min-h-full flex-1 place-items-center p-6">
      <div className="max-w-md text-center">
        <h1 className="font-semibold text-lg">Something went wrong</h1>
        <p className="mt-1 text-ink-2">
          Nothing was lost: sessions do not depend on this page, and their output is stored.
        </p>
        <code className="mt-2 block select-all text-ink-3 text-xs [overflow-wrap:anywhere]">
          {error.digest ?? error.message}
        </code>
        <div className="mt-4 flex justify-center gap-2">
          <Button look="solid" onClick={() => location.reload()}>
            Reload
          </Button>
          <Button onClick={reset}>Try again</Button>
        </div>
      </div>
    </main>
  )
}
