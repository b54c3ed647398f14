/** What "allow for session" covers if there is nothing to choose. Shown before the button is pressed. Pure. */
import type { PermissionAsk } from '@roundhouse/backend-types'

export function sessionWords({ sessionScope }: PermissionAsk, backend: string): string {
  return sessionScope
    ? `“Allow for session” runs this, and allows ${sessionScope.label} for up to 8 hours. You can revoke it.`
    : `${backend} gives nothing to scope this by, so “Allow for session” counts once.`
}
