'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { Popover } from '../../../ui/overlays/popover'

/** The active permissions of this session: listed, and revoked at once. */
export function GrantsMenu({ view }: { view: SessionView }) {
  const hub = useHub()
  const revoke = useMutation({ mutationFn: (grantId: string) => hub.rest.revokeGrant(view.sessionId, grantId) })
  const active = view.grants.length === 1 ? 'permission active' : 'permissions active'
  return (
    <Popover
      kind="dialog"
      label="Active permissions"
      className="w-80 max-w-[calc(100vw-1rem)] p-3"
      button={(props) => (
        <Button
          size="sm"
          look="plain"
          title="Active permissions"
          aria-label={`${view.grants.length} ${active}`}
          icon={<KeyRound className="size-3.5" aria-hidden />}
          {...props}
        >
          {view.grants.length} <span className="hidden sm:inline">{active}</span>
        </Button>
      )}
    >
      <p className="mb-2 font-medium text-sm">Active permissions</p>
      <ul className="space-y-2">
        {view.grants.map((grant) => (
          <li key={grant.grantId} className="flex items-start justify-between gap-2 text-sm">
            <span className="break-all">
              {grant.label}
              <span className="block text-ink-3 text-xs">
                until {new Date(grant.expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
              </span>
            </span>
            <Button size="sm" look="danger" disabled={revoke.isPending} onClick={() => revoke.mutate(grant.grantId)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {revoke.error ? <ErrorNotice className="mt-2" error={toCodedError(revoke.error).toBody()} /> : null}
    </Popover>
  )
}
