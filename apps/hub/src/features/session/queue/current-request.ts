/** Chooses the open request that is shown in full. Pure. */
import type { RequestView } from '@roundhouse/backend-types'

/** The picked request, or the oldest undecided one, or the oldest. */
export function currentRequest(open: readonly RequestView[], chosen: string | null): RequestView | undefined {
  const picked = open.find((request) => request.ask.requestId === chosen && request.decision === null)
  return picked ?? open.find((request) => request.decision === null) ?? open[0]
}

/** The next or the previous one, wrapping around. */
export function neighbour(open: readonly RequestView[], current: RequestView, step: 1 | -1): RequestView {
  const index = (open.indexOf(current) + step + open.length) % open.length
  return open[index] ?? current
}
