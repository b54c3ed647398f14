import type { SessionView } from '@roundhouse/backend-types'
import { useMemo } from 'react'

/** The calls of background tasks; returns the same set object while they do not change. */
export function useRunningOn(view: SessionView | null): ReadonlySet<string> {
  const calls = (view?.background ?? []).flatMap(({ callId }) => callId ?? []).join('\n')
  return useMemo(() => new Set(calls.split('\n')), [calls])
}
