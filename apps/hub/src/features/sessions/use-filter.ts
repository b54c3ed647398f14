'use client'
/** The filter of the session list. It is in the address, so that the back button restores it and people can share it. */
import { useSearchParams } from 'next/navigation'
import { useCallback, useState } from 'react'
import { type Filter, filterOf, searchOf } from './filter'

/** An empty value takes its filter away. */
export type FilterChange = { [Name in keyof Filter]?: string }

export function useFilter() {
  const params = useSearchParams()
  const [filter, setState] = useState<Filter>(() => filterOf(params))
  const setFilter = useCallback((change: FilterChange) => {
    setState((before) => {
      const next = filterOf({ get: (name) => ({ ...before, ...change })[name as keyof Filter] ?? null })
      history.replaceState(history.state, '', `${location.pathname}${searchOf(next)}`)
      return next
    })
  }, [])
  const clear = useCallback(
    () => setFilter({ text: '', status: '', agentId: '', backend: '', runs: '', archived: 'false' }),
    [setFilter],
  )
  return { filter, setFilter, clear }
}
