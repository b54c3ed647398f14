'use client'
import { useEffect, useRef } from 'react'
import { useLinkState } from './hub-provider'

/** What the hub did not answer is said only until the page hears from it again: by then it is no longer true. */
export function useErrorUntilBack({ isError, reset }: { isError: boolean; reset(): void }): void {
  const { state } = useLinkState()
  const before = useRef(state)
  useEffect(() => {
    if (isError && state === 'live' && before.current !== 'live') reset()
    before.current = state
  }, [isError, reset, state])
}
