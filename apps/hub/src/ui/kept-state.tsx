'use client'
/** State of rows that mount and unmount while a long list scrolls: an opened row is still open when it returns. */
import { createContext, type Dispatch, type ReactNode, useContext, useState } from 'react'

const Kept = createContext<Map<string, unknown>>(new Map())

export function KeptStates({ children }: { children: ReactNode }) {
  const [kept] = useState(() => new Map<string, unknown>())
  return <Kept value={kept}>{children}</Kept>
}

/** Like `useState`, under a key that is unique in the list. */
export function useKept<T>(key: string, initial: T): [T, Dispatch<T>] {
  const kept = useContext(Kept)
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : initial))
  return [
    value,
    (next) => {
      kept.set(key, next)
      setValue(next)
    },
  ]
}
