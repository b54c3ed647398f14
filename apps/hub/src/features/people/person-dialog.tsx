'use client'
import { type PersonChange, type PersonView, type Role, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { Confirm } from '../../ui/overlays/late-confirm'
import { linkFor } from '../auth/invited'
import { type Rights, RightsFields } from './rights-fields'
import { seesAllMachines } from './roles'

export interface PersonDialogProps {
  person: PersonView
  own: Role
  onClose: () => void
}

/** Changes a person's rights. The person's open pages follow within two seconds. */
export function PersonDialog({ person, own, onClose }: PersonDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const { userId, name, disabled } = person
  const [removing, setRemoving] = useState(false)
  const [rights, setRights] = useState<Rights>({ role: person.role, agents: new Set(person.agents ?? []) })
  const onSettled = () => queries.invalidateQueries({ queryKey: ['people'] })
  const options = { onSuccess: onClose, onSettled }
  const change = useMutation({ mutationFn: (body: PersonChange) => hub.rest.changePerson(userId, body), ...options })
  const remove = useMutation({ mutationFn: () => hub.rest.removePerson(userId), ...options })
  const recover = useMutation({ mutationFn: () => hub.rest.recoverPerson(userId) })
  const error = change.error ?? recover.error
  const busy = change.isPending || remove.isPending || recover.isPending
  const shared = seesAllMachines(rights.role) ? {} : { agents: [...rights.agents] }
  if (recover.data) {
    return (
      <Dialog open onOpenChange={onClose} title={`Reset the password of ${name}`}>
        <ShownLink link={linkFor(recover.data.link, { email: person.email, isNew: false })} onDone={onClose}>
          Send them this link. It works once and expires in three days; earlier links no longer work. Using it signs
          them out everywhere and removes their two-factor authentication and passkeys.
        </ShownLink>
      </Dialog>
    )
  }
  if (removing) {
    return (
      <Confirm
        open
        onClose={onClose}
        title={`Remove ${name}?`}
        action="Remove for good"
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
        error={remove.error ? toCodedError(remove.error).toBody() : null}
      >
        They are signed out and their tokens stop working at once. What they did stays under their name.
      </Confirm>
    )
  }
  return (
    <Dialog open onOpenChange={onClose} title={name} description={person.email}>
      <div className="space-y-4">
        <RightsFields own={own} rights={rights} onChange={setRights} />
        {error ? <ErrorNotice error={toCodedError(error).toBody()} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button size="sm" disabled={busy} onClick={() => recover.mutate()}>
            Create password reset link
          </Button>
          <Button size="sm" look="danger" disabled={busy} onClick={() => change.mutate({ disabled: !disabled })}>
            {disabled ? 'Enable' : 'Disable'}
          </Button>
          <Button size="sm" look="danger" disabled={busy} onClick={() => setRemoving(true)}>
            Remove for good
          </Button>
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="solid" disabled={busy} onClick={() => change.mutate({ role: rights.role, ...shared })}>
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
