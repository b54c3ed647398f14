'use client'
import { createContext, useContext } from 'react'
import { Button } from '../../ui/button'

export interface Retry {
  /** The end of the failed turn. */
  seq: number
  busy: boolean
  send: () => void
}

/** The failed turn whose prompt can be sent again. `null`: there is none. */
const Retrying = createContext<Retry | null>(null)

export const RetryProvider = Retrying.Provider

export function TryAgain({ seq }: { seq: number }) {
  const retry = useContext(Retrying)
  if (retry?.seq !== seq) return null
  return (
    <Button size="sm" className="mt-1.5" disabled={retry.busy} onClick={retry.send}>
      Try again
    </Button>
  )
}
