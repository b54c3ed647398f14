/** A person who decides every request of a session at once: questions by their first option, plans with a mode. */
import type { PermissionAsk } from '@roundhouse/backend-types'
import type { Rig } from '../support/rigs/rig'

/** What a command holds that this person refuses. */
export const REFUSED = 'please-refuse-me'

export function startAnswering(rig: Rig, sessionId: string): { stop(): Promise<void> } {
  let goesOn = true
  const decided = new Set<string>()
  const look = async () => {
    const { requests } = (await rig.rest.snapshot(sessionId, 1)).session
    const open = requests.filter(
      ({ decision, outcome, ask }) => !decision && outcome === 'open' && !decided.has(ask.requestId),
    )
    for (const { ask } of open) {
      decided.add(ask.requestId)
      await rig.rest
        .decide(ask.requestId, { digest: ask.digest, ...decisionOn(ask) })
        .catch(() => decided.delete(ask.requestId))
    }
  }
  const loop = (async () => {
    while (goesOn) {
      // The hub may be away for a moment.
      await look().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  return {
    stop: () => {
      goesOn = false
      return loop
    },
  }
}

function decisionOn(ask: PermissionAsk) {
  if (ask.form) {
    const answers = Object.fromEntries(ask.form.fields.map((field) => [field.name, firstAnswer(field)]))
    return { decision: 'allow', answers } as const
  }
  if (JSON.stringify(ask.input).includes(REFUSED)) return { decision: 'deny', reason: 'Not this one.' } as const
  if (ask.canSetMode) return { decision: 'allow', mode: 'default' } as const
  return { decision: 'allow' } as const
}

type Field = NonNullable<PermissionAsk['form']>['fields'][number]

function firstAnswer(field: Field) {
  switch (field.kind) {
    case 'choice': {
      const [option] = field.options
      return field.many ? [option?.value ?? ''] : (option?.value ?? '')
    }
    case 'number':
      return field.min ?? 1
    case 'boolean':
      return true
    default:
      return 'Ana'
  }
}
