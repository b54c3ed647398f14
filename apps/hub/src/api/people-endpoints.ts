import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import type { AttemptLimit } from './attempt-limit'
import { type Endpoint, endpoint } from './endpoint'

const tag = 'people'
const Ok = z.object({ ok: z.literal(true) })

export function peopleEndpoints({ people }: Core, attempts: AttemptLimit): Endpoint[] {
  const person = { tag, errors: ['NOT_FOUND', 'LAST_OWNER'] } as const
  return [
    endpoint({ method: 'get', path: '/people', summary: 'List people', tag, answer: T.PeopleList }, ({ actor }) =>
      people.list(actor),
    ),
    endpoint(
      {
        ...person,
        method: 'patch',
        path: '/people/:userId',
        summary: 'Change role, machines or name, disable or enable',
        body: T.PersonChange,
        answer: T.PersonView,
        errors: [...person.errors, 'NAME_NOT_ALLOWED'],
      },
      ({ actor, id, body }) => people.change(actor, id.userId ?? '', body),
    ),
    endpoint(
      { ...person, method: 'delete', path: '/people/:userId', summary: 'Remove a person', answer: Ok },
      ({ actor, id, key }) => people.remove(actor, id.userId ?? '', key),
    ),
    endpoint(
      {
        ...person,
        method: 'post',
        path: '/people/:userId/sign-out',
        summary: 'End all logins of a person',
        answer: T.PersonView,
      },
      ({ actor, id, key }) => people.signOut(actor, id.userId ?? '', key),
    ),
    endpoint(
      {
        ...person,
        method: 'post',
        path: '/people/:userId/recover',
        summary: 'A one-time link to set a new password',
        answer: T.InvitationMade,
        status: 201,
        errors: ['NOT_FOUND', 'SHOWN_ONCE'],
      },
      ({ actor, id, key }) => people.recover(actor, id.userId ?? '', key),
    ),
    endpoint(
      { method: 'get', path: '/invitations', summary: 'List invitations', tag, answer: T.InvitationsList },
      ({ actor }) => people.invitations(actor),
    ),
    endpoint(
      {
        method: 'post',
        path: '/invitations',
        summary: 'Invite somebody',
        tag,
        body: T.InvitationRequest,
        answer: T.InvitationMade,
        status: 201,
        errors: ['EMAIL_TAKEN', 'SHOWN_ONCE'],
      },
      ({ actor, body, key }) => people.invite(actor, body, key),
    ),
    endpoint(
      {
        method: 'delete',
        path: '/invitations/:invitationId',
        summary: 'Take an invitation back',
        tag,
        answer: Ok,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, key }) => people.revokeInvitation(actor, id.invitationId ?? '', key),
    ),
    endpoint(
      {
        method: 'post',
        path: '/invitations/accept',
        summary: 'Come in by an invitation, or set a new password',
        tag,
        body: T.AcceptInvitation,
        answer: T.InvitationAccepted,
        status: 201,
        open: true,
        errors: ['INVITATION_INVALID', 'EMAIL_TAKEN', 'NAME_NOT_ALLOWED', 'RATE_LIMITED'],
      },
      ({ address, body }) => {
        attempts.require(address)
        return people.accept({ address }, body)
      },
    ),
  ]
}
