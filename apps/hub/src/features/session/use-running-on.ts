import type { SessionView } from '@roundhouse/backend-types'
import { useMemo } from 'react'

/** The calls of what runs beside the turns; the same set for as long as they are the same. */
export function useRunningOn(view: SessionView | null): ReadonlySet<string> {
  const calls = (view?.background ?? []).flatMap(({ callId }) => callId ?? []).join('\n')
  return useMemo(() => new Set(calls.split('\n')), [calls])
}
