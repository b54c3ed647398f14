'use client'
import { useEffect, useRef } from 'react'
import { useLinkState } from './hub-provider'

/** Shows a connection error only until the hub answers again. */
export function useErrorUntilBack({ isError, reset }: { isError: boolean; reset(): void }): void {
  const { state } = useLinkState()
  const before = useRef(state)
  useEffect(() => {
    if (isError && state === 'live' && before.current !== 'live') reset()
    before.current = state
  }, [isError, reset, state])
}
