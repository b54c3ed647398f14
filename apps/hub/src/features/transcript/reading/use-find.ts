'use client'
/** Find in page for a virtual list: the browser's own search sees only the drawn rows. Ctrl/Cmd-F opens it. */
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useKeyDown } from '../../../ui/keys/use-key-down'
import type { Row } from '../items/rows'
import { findRows } from './find-rows'

export interface Find {
  open: boolean
  query: string
  setQuery: (query: string) => void
  count: number
  /** From 1; 0 if there is no match. */
  position: number
  /** The key of the current row. */
  current: string | null
  go: (step: 1 | -1) => void
  close: () => void
}

export function useFind({ rows, onGo }: { rows: readonly Row[]; onGo: (seq: number, mark?: boolean) => void }): Find {
  const [open, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState<string | null>(null)
  const wanted = useDeferredValue(open ? query : '')
  const found = useMemo(() => findRows(rows, wanted), [rows, wanted])
  const index = found.findIndex(({ key }) => key === current)

  useKeyDown((event) => {
    if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    setOpen(true)
    document.querySelector<HTMLInputElement>('[data-find]')?.select()
  })

  const go = useCallback(
    (step: 1 | -1) => {
      // Uses the newest query, not the deferred one: a person types faster than a long list is searched.
      const all = findRows(rows, query)
      const at = all.findIndex(({ key }) => key === current)
      // The first step goes upwards, because people look for recent text.
      const row = at < 0 ? all.at(step === 1 ? 0 : -1) : all[(at + step + all.length) % all.length]
      if (!row) return
      setCurrent(row.key)
      onGo(row.seq, true)
    },
    [rows, query, current, onGo],
  )
  const close = useCallback(() => {
    setOpen(false)
    setCurrent(null)
    document.querySelector<HTMLElement>('[role=log]')?.focus({ preventScroll: true })
  }, [])
  return { open, query, setQuery, count: found.length, position: index + 1, current: open ? current : null, go, close }
}
