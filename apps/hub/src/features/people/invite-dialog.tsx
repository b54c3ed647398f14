'use client'
import type { InvitationMade, Role } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Field } from '../../ui/forms/field'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm, textIn } from '../../ui/forms/on-form'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { linkFor } from '../auth/invited'
import { type Rights, RightsFields } from './rights-fields'

export interface InviteDialogProps {
  own: Role
  onClose: () => void
}

export function InviteDialog({ own, onClose }: InviteDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const [rights, setRights] = useState<Rights>({ role: 'operator', agents: new Set() })
  const [made, setMade] = useState<(InvitationMade & { email: string }) | null>(null)
  const invite = useMutation({
    mutationFn: (email: string) => hub.rest.invite({ email, role: rights.role, agents: [...rights.agents] }),
    onSuccess: (invitation, email) => setMade({ ...invitation, email }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  })
  return (
    <Dialog open onOpenChange={onClose} title="Invite someone">
      {made ? (
        <ShownLink link={linkFor(made.link, { email: made.email, isNew: true })} onDone={onClose}>
          Send them this link. It works once, expires in three days and is shown only now. Earlier links for this person
          no longer work.
        </ShownLink>
      ) : (
        <form onSubmit={onForm((form) => invite.mutate(textIn(form, 'email')))} className="space-y-4">
          <Field
            label="E-mail"
            name="email"
            type="email"
            required
            hint="They sign in with it. Roundhouse sends no e-mail."
          />
          <RightsFields own={own} rights={rights} onChange={setRights} />
          <FormEnd action="Create invite link" error={invite.error} busy={invite.isPending} onCancel={onClose} />
        </form>
      )}
    </Dialog>
  )
}
