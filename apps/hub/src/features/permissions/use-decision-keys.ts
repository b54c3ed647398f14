'use client'
import type { Decision } from '@roundhouse/backend-types'
import { isForPage } from '../../ui/keys/keyboard'
import { useKeyDown } from '../../ui/keys/use-key-down'

const decisions: Record<string, Decision> = { a: 'allow', s: 'allow_session', x: 'abort' }

interface DecisionKeys {
  decide: (decision: Decision) => void
  explain: () => void
  /** Called only if the machine takes rules of this request. */
  always: () => void
  /** Called only if the program takes an edit. */
  edit: () => void
}

/** The keys `a`, `s` and `x` decide, `d` asks for a reason first, `f` for a rule of the folder, and `e` opens the input for editing. Held keys and keys typed into a field are ignored. */
export function useDecisionKeys(active: boolean, { decide, explain, always, edit }: DecisionKeys): void {
  useKeyDown(
    (event) => {
      if (event.repeat || !isForPage(event)) return
      const decision = decisions[event.key]
      if (decision) decide(decision)
      else if (event.key === 'd') explain()
      else if (event.key === 'f') always()
      else if (event.key === 'e') edit()
      else return
      event.preventDefault()
    },
    { active },
  )
}
