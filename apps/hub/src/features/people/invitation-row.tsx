'use client'
import type { InvitationView } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { PlainText } from '../../ui/text/plain-text'
import { timeLeft } from '../../ui/text/time'
import { roleWords } from './roles'

export function InvitationRow({ invitation }: { invitation: InvitationView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const now = useNow()
  const { invitationId, email, role, kind, expiresAt } = invitation
  const revoke = useMutation({
    mutationFn: () => hub.rest.revokeInvitation(invitationId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        <PlainText>{email}</PlainText>
      </span>
      <span className="text-ink-2">{kind === 'recover' ? 'Password reset' : roleWords[role].label}</span>
      <span className="text-ink-3 tabular-nums">{timeLeft(expiresAt - now)}</span>
      <Button size="sm" className="ml-auto" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
    </li>
  )
}
