/** What is made from all transcripts answers its routes itself. */
import type { derivedRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import type { Call, Handlers } from './handlers'

type Answer = (actor: Call['actor'], asked: never) => Promise<object>
type DerivedHandlers = Handlers<keyof typeof derivedRoutes>

export function derivedHandlers({ derived }: Pick<SessionServices, 'derived'>): DerivedHandlers {
  const handlers = Object.entries<Answer>(derived).map(([name, answer]) => [
    name,
    ({ actor, query, id }: Call) => answer(actor, { query, id } as never),
  ])
  return Object.fromEntries(handlers) as DerivedHandlers
}
