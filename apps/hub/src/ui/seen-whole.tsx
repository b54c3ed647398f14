'use client'
/**
 * Whether everything that a person decides about has been on the screen: nothing is folded, and they scrolled to the end.
 */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'

type Tell = (key: string, folded: boolean) => void
const Folds = createContext<Tell | null>(null)

/** Reports that this part hides some of its content. Outside a permission request nothing listens. */
export function useFolded(key: string, folded: boolean): void {
  const tell = useContext(Folds)
  useEffect(() => {
    if (!tell || !folded) return
    tell(key, true)
    return () => tell(key, false)
  }, [tell, key, folded])
}

export interface SeenWhole {
  /** Once true it stays so. */
  seen: boolean
  /** How many pieces hide something now. */
  folded: number
  /** The scrolling box has more below its edge. */
  below(more: boolean): void
  tell: Tell
}

export function useSeenWhole(): SeenWhole {
  const [folds, setFolds] = useState<ReadonlySet<string>>(new Set())
  const [isBelow, setBelow] = useState(true)
  const [seen, setSeen] = useState(false)
  const tell = useCallback<Tell>((key, folded) => {
    setFolds((before) => new Set(folded ? [...before, key] : [...before].filter((other) => other !== key)))
    setBelow(true) // until the box has looked again
  }, [])
  useEffect(() => {
    if (!isBelow && folds.size === 0) setSeen(true)
  }, [isBelow, folds])
  return useMemo(() => ({ seen, folded: folds.size, below: setBelow, tell }), [seen, folds, tell])
}

export function SeenWholeOf({ whole, children }: { whole: SeenWhole; children: ReactNode }) {
  return <Folds value={whole.tell}>{children}</Folds>
}
