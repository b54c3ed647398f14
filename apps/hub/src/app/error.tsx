'use client'
import { useEffect } from 'react'
import { Button } from '../ui/button'

/** Whatever broke on the page: what is stored is at the hub and on the machines, so a reload loses nothing. */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
  useEffect(() => console.error(error), [error])
  return (
    <main className="grid min-h-full place-items-center p-6">
      <div className="max-w-sm text-center">
        <h1 className="font-semibold text-lg">This page broke</h1>
        <p className="mt-1 mb-4 text-ink-2">Nothing was lost: sessions go on, and what they wrote is stored.</p>
        <Button look="solid" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </main>
  )
}
