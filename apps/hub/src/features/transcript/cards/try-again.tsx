'use client'
import type { ErrorBody } from '@roundhouse/backend-types'
import { createContext, useContext } from 'react'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'

export interface Retry {
  /** The end of the failed turn. */
  seq: number
  busy: boolean
  send: () => void
  /** Why it could not be sent. */
  error: ErrorBody | null
}

/** The failed turn whose prompt can be sent again. `null`: there is none. */
const Retrying = createContext<Retry | null>(null)

export const RetryProvider = Retrying.Provider

export function TryAgain({ seq }: { seq: number }) {
  const retry = useContext(Retrying)
  if (retry?.seq !== seq) return null
  return (
    <>
      <Button size="sm" className="mt-1.5" disabled={retry.busy} onClick={retry.send}>
        Try again
      </Button>
      {retry.error ? <ErrorNotice className="mt-1.5" error={retry.error} next="It was not sent." /> : null}
    </>
  )
}
