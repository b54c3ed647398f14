'use client'
/** What the list of sessions is filtered by. It stands in the address: the way back finds it again, and it can be shared. */
import { useSearchParams } from 'next/navigation'
import { useCallback, useState } from 'react'
import { type Filter, filterOf, searchOf } from './filter'

export function useFilter() {
  const params = useSearchParams()
  const [filter, setState] = useState<Filter>(() => filterOf(params))
  const setFilter = useCallback((change: Partial<Filter>) => {
    setState((before) => {
      const next = filterOf({ get: (name) => ({ ...before, ...change })[name as keyof Filter] ?? null })
      history.replaceState(history.state, '', `${location.pathname}${searchOf(next)}`)
      return next
    })
  }, [])
  const clear = useCallback(
    () => setFilter({ text: '', status: '', agentId: '', backend: '', archived: 'false' }),
    [setFilter],
  )
  return { filter, setFilter, clear }
}
